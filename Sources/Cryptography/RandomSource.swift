import COpenSSL

/// Where random bytes come from: the system, or a test's own fixed ones.
public struct RandomSource: Sendable {
  private let source: @Sendable (Int) -> [UInt8]

  /// A source that asks `bytes` for exactly as many bytes as it is given.
  public init(bytes: @escaping @Sendable (Int) -> [UInt8]) {
    source = bytes
  }

  /// libcrypto's generator, seeded by the kernel. If it fails the process ends: an id or token that can be guessed
  /// is worse than none.
  public static let system = RandomSource { count in
    [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      // RAND_bytes counts in `int`.
      for start in stride(from: 0, to: count, by: 1 << 20) {
        let piece = UnsafeMutableBufferPointer(rebasing: buffer[start..<min(start + (1 << 20), count)])
        guard RAND_bytes(piece.baseAddress, Int32(piece.count)) == 1 else {
          fatalError("no randomness: \(CryptographyError.fromOpenSSL("RAND_bytes"))")
        }
      }
      initialized = count
    }
  }

  /// `count` random bytes.
  public func bytes(_ count: Int) -> [UInt8] {
    let bytes = source(count)
    precondition(bytes.count == count, "a random source must give as many bytes as it is asked for")
    return bytes
  }

  /// `count` letters a-z A-Z, each with the same probability (5.7 bits a letter).
  public func letters(_ count: Int) -> String {
    characters(count, from: Self.lettersAlphabet)
  }

  /// `count` letters a-z A-Z and digits, each with the same probability (5.95 bits a character).
  public func lettersAndDigits(_ count: Int) -> String {
    characters(count, from: Self.lettersAndDigitsAlphabet)
  }

  private static let lettersAlphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
  private static let lettersAndDigitsAlphabet = lettersAlphabet + Array("0123456789".utf8)

  /// Six bits choose a character; those that choose none are thrown away, since a remainder would favour the first.
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
