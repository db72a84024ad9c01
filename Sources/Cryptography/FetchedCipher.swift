import COpenSSL

/// A cipher of libcrypto, fetched once: OpenSSL 3 would look it up by name at each use, which takes locks.
///
/// `@unchecked Sendable`: a fetched cipher is immutable, and its references are counted atomically (EVP_CIPHER_fetch(3)).
/// It lives as long as the process, so nothing frees it.
package struct FetchedCipher: @unchecked Sendable {
  package let pointer: OpaquePointer

  package init(_ name: String) {
    guard let pointer = EVP_CIPHER_fetch(nil, name, nil) else {
      fatalError("libcrypto has no \(name): \(CryptographyError.fromOpenSSL("EVP_CIPHER_fetch"))")
    }
    self.pointer = pointer
  }
}
