import COpenSSL

/// The password encryption of the AESCrypt libraries: AES-256-CBC, key SHA-256(password), IV of 16 zero bytes,
/// PKCS#7, written in base64. The clients send passwords this way.
public struct AESCrypt: Sendable {
  private static let blockBytes = 16
  /// libcrypto counts in `int`, so longer input goes through in pieces of this size.
  private static let pieceBytes = 1 << 20
  private static let cipher = FetchedCipher("AES-256-CBC")

  private let key: SecretBytes

  /// The key is held in memory that is overwritten when the last copy of this value goes away.
  public init(password: [UInt8]) {
    var digest = Digest.sha256(password)
    defer { digest.cleanse() }
    key = SecretBytes(digest)
  }

  /// The plain bytes of base64 `text` as Ruby's `Base64.decode64` reads it (see ``Base64/decodeLeniently(_:)``);
  /// nil if what it holds does not decrypt: not a positive multiple of 16 bytes, or bad padding.
  public func decrypt(_ text: [UInt8]) -> [UInt8]? {
    let encrypted = Base64.decodeLeniently(text)
    guard !encrypted.isEmpty, encrypted.count.isMultiple(of: Self.blockBytes) else { return nil }
    return transform(encrypted, .decrypt)
  }

  /// `plain` encrypted, in standard base64 without line breaks.
  public func encrypt(_ plain: [UInt8]) -> String {
    guard let encrypted = transform(plain, .encrypt) else {
      // Encryption under a key of the right size fails only for want of memory, which ends a Swift process anyway.
      fatalError("libcrypto cannot encrypt: \(CryptographyError.fromOpenSSL("AES-256-CBC"))")
    }
    return Base64.encode(encrypted)
  }

  private enum Direction: Int32 {
    case decrypt = 0
    case encrypt = 1
  }

  private func transform(_ input: [UInt8], _ direction: Direction) -> [UInt8]? {
    // What failed is in the thread's error queue, where it would be taken for an error of the next caller (TLS).
    defer { ERR_clear_error() }
    guard let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let vector = [UInt8](repeating: 0, count: Self.blockBytes)
    let initialized = key.withUnsafeBytes {
      EVP_CipherInit_ex(
        context, Self.cipher.pointer, nil, $0.bindMemory(to: UInt8.self).baseAddress, vector, direction.rawValue)
    }
    guard initialized == 1 else { return nil }

    var succeeded = false
    let output = [UInt8](unsafeUninitializedCapacity: input.count + Self.blockBytes) { buffer, count in
      guard let written = Self.run(context, over: input, into: buffer) else {
        OPENSSL_cleanse(buffer.baseAddress, buffer.count)
        return
      }
      count = written
      succeeded = true
    }
    return succeeded ? output : nil
  }

  /// How many bytes went to `output`, which has room for a block more than `input`; nil if libcrypto refuses.
  private static func run(
    _ context: OpaquePointer, over input: [UInt8], into output: UnsafeMutableBufferPointer<UInt8>
  ) -> Int? {
    guard let start = output.baseAddress else { return nil }
    var written = 0
    var length: Int32 = 0
    for offset in stride(from: 0, to: input.count, by: pieceBytes) {
      let piece = input[offset..<min(offset + pieceBytes, input.count)]
      let updated = piece.withUnsafeBufferPointer {
        EVP_CipherUpdate(context, start + written, &length, $0.baseAddress, Int32($0.count))
      }
      guard updated == 1 else { return nil }
      written += Int(length)
    }
    guard EVP_CipherFinal_ex(context, start + written, &length) == 1 else { return nil }
    return written + Int(length)
  }
}
