import COpenSSL

/// A source of random bytes: the system's, or fixed ones. `TokenIssuer` in SelfieAPI makes tokens from them, and
/// UploadPhoto.swift the ids of photos.
package struct RandomSource: Sendable {
  private let source: @Sendable (Int) -> [UInt8]

  /// - Parameter bytes: must return exactly as many bytes as it is asked for.
  package init(bytes: @escaping @Sendable (Int) -> [UInt8]) {
    source = bytes
  }

  /// libcrypto's generator, which the kernel seeds. If it fails, the process ends: an id or a token that can be guessed
  /// would be worse than none.
  package static let system = RandomSource { count in
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      guard RAND_bytes(buffer.baseAddress, Int32(count)) == 1 else {
        fatalError("no randomness: \(CryptographyError.fromOpenSSL("RAND_bytes"))")
      }
      initialized = count
    }
  }

  /// A number from 0 to 1.
  package func fraction() -> Double {
    let number = bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return Double(number) / Double(UInt32.max)
  }

  /// `count` random bytes.
  package func bytes(_ count: Int) -> [UInt8] {
    let bytes = source(count)
    precondition(bytes.count == count, "a random source must give as many bytes as it is asked for")
    return bytes
  }

  /// `count` letters a-z A-Z, each with the same probability (5.7 bits a letter).
  package func letters(_ count: Int) -> String {
    characters(count, from: Self.lettersAlphabet)
  }

  /// `count` letters a-z A-Z and digits, each with the same probability (5.95 bits a character).
  package func lettersAndDigits(_ count: Int) -> String {
    characters(count, from: Self.lettersAndDigitsAlphabet)
  }

  /// A random UUID (RFC 9562 §5.4), in lower case.
  package func uuid() -> String {
    var bytes = bytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    let hex = Digest.hex(bytes)
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
      .map { range in hex.dropFirst(range.lowerBound).prefix(range.count) }.joined(separator: "-")
  }

  private static let lettersAlphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  private static let lettersAndDigitsAlphabet = lettersAlphabet + Array("0123456789".utf8)

  /// Six bits of each byte choose a character. Numbers beyond the alphabet are thrown away: to take the remainder
  /// instead would make the first characters more likely.
  private func characters(_ count: Int, from alphabet: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(count)
    while text.count < count {
      let missing = count - text.count
      for byte in bytes(missing + missing / 4 + 8) where text.count < count {
        let index = Int(byte & 63)
        if index < alphabet.count { text.append(alphabet[index]) }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }
}
