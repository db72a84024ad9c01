import COpenSSL

/// AES-256 in CBC mode, fetched once: OpenSSL 3 would look it up by name at each use, which takes locks. It is
/// immutable, its references are counted atomically (EVP_CIPHER_fetch(3)), and it lives as long as the process.
/// `AESCrypt` encrypts passwords with it, and TicketKeys+Callback.swift in HTTPServer session tickets.
nonisolated(unsafe) package let aes256CBC = {
  guard let pointer = EVP_CIPHER_fetch(nil, "AES-256-CBC", nil) else {
    fatalError("libcrypto has no AES-256-CBC: \(CryptographyError.fromOpenSSL("EVP_CIPHER_fetch"))")
  }
  return pointer
}()
