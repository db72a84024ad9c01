import COpenSSL

// OpenSSL 3 looks an algorithm up by name at each use, which takes locks, unless it was fetched once.
// Both holders are `@unchecked Sendable`: a fetched algorithm is immutable, and libcrypto counts its references
// atomically (EVP_MD_fetch(3)). They live as long as the process, so nothing frees them.

/// A message digest of libcrypto, fetched once.
struct FetchedDigest: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ name: String) {
    guard let pointer = EVP_MD_fetch(nil, name, nil) else {
      fatalError("libcrypto has no \(name): \(CryptographyError.fromOpenSSL("EVP_MD_fetch"))")
    }
    self.pointer = pointer
  }
}

/// A cipher of libcrypto, fetched once.
package struct FetchedCipher: @unchecked Sendable {
  package let pointer: OpaquePointer

  package init(_ name: String) {
    guard let pointer = EVP_CIPHER_fetch(nil, name, nil) else {
      fatalError("libcrypto has no \(name): \(CryptographyError.fromOpenSSL("EVP_CIPHER_fetch"))")
    }
    self.pointer = pointer
  }
}
