import COpenSSL

/// The encryption of the AESCrypt libraries, by which the clients send passwords: AES-256-CBC with the key
/// SHA-256(password), an IV of 16 zero bytes and PKCS#7 padding, written in base64. The passwords in the database are
/// hashes: see `PasswordHash`.
package struct AESCrypt: Sendable {
  /// Encrypted texts have a multiple of it.
  package static let blockBytes = 16
  package static let keyBytes = 32

  private let key: SecretBytes

  /// The key is in memory that is overwritten once the last copy of this value is gone.
  package init(password: [UInt8]) {
    var digest = Digest.sha256(password)
    defer { digest.cleanse() }
    key = SecretBytes(digest)
  }

  /// For a key that is made in another way.
  ///
  /// - Parameter key: of `keyBytes`.
  package init(key: [UInt8]) {
    precondition(key.count == Self.keyBytes)
    self.key = SecretBytes(key)
  }

  /// Decrypts base64 `text`, which is decoded like Ruby's `Base64.decode64` does (see ``Base64/decodeLeniently(_:)``).
  /// Nil if it does not hold a positive multiple of 16 bytes, or if the padding is wrong.
  package func decrypt(_ text: [UInt8]) -> [UInt8]? {
    let encrypted = Base64.decodeLeniently(text)
    guard !encrypted.isEmpty, encrypted.count.isMultiple(of: Self.blockBytes) else { return nil }
    return transform(encrypted, encrypts: false)
  }

  /// Decrypts whole blocks, and leaves their padding as it is; nil unless these are one or more blocks.
  package func decryptBlocks(_ encrypted: [UInt8]) -> [UInt8]? {
    guard !encrypted.isEmpty, encrypted.count.isMultiple(of: Self.blockBytes) else { return nil }
    return transform(encrypted, encrypts: false, isPadded: false)
  }

  /// `plain` encrypted, in standard base64 without line breaks.
  package func encrypt(_ plain: [UInt8]) -> String {
    guard let encrypted = transform(plain, encrypts: true) else {
      // With a key of the right size and less than 2 GB, this fails only if there is no memory, which ends a Swift
      // process anyway.
      fatalError("libcrypto cannot encrypt: \(CryptographyError.fromOpenSSL("AES-256-CBC"))")
    }
    return Base64.encode(encrypted)
  }

  private func transform(_ input: [UInt8], encrypts: Bool, isPadded: Bool = true) -> [UInt8]? {
    // Otherwise the thread's next user of libcrypto (TLS) could take a failure in here for its own.
    defer { ERR_clear_error() }
    guard let context = EVP_CIPHER_CTX_new() else { return nil }
    defer { EVP_CIPHER_CTX_free(context) }
    let vector = [UInt8](repeating: 0, count: Self.blockBytes)
    let initialized = key.withUnsafeBytes {
      EVP_CipherInit_ex(
        context, aes256CBC, nil, $0.bindMemory(to: UInt8.self).baseAddress, vector, encrypts ? 1 : 0)
    }
    guard initialized == 1, EVP_CIPHER_CTX_set_padding(context, isPadded ? 1 : 0) == 1 else { return nil }

    var succeeded = false
    let output = [UInt8](unsafeUninitializedCapacity: input.count + Self.blockBytes) { buffer, count in
      var (updated, rest): (Int32, Int32) = (0, 0)
      guard let start = buffer.baseAddress, let length = Int32(exactly: input.count),
        EVP_CipherUpdate(context, start, &updated, input, length) == 1,
        EVP_CipherFinal_ex(context, start + Int(updated), &rest) == 1
      else { return OPENSSL_cleanse(buffer.baseAddress, buffer.count) }
      count = Int(updated) + Int(rest)
      succeeded = true
    }
    return succeeded ? output : nil
  }
}
