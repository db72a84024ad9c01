import COpenSSL

/// The private key of a certificate, read from PEM. `CertifiedKey` tells whether both belong together.
///
/// `@unchecked Sendable`: nothing changes the key once it is here, and libcrypto counts its references atomically.
package final class PrivateKey: @unchecked Sendable {
  /// An `EVP_PKEY`, valid while this object lives.
  package let pointer: OpaquePointer

  deinit {
    EVP_PKEY_free(pointer)
  }

  /// Reads a key without a passphrase from a PEM text.
  package init(pem: [UInt8]) throws(CryptographyError) {
    let source = memoryBIO(pem)
    defer { BIO_free(source) }
    // Without the callback, libcrypto would ask for a passphrase on the terminal.
    guard let pointer = PEM_read_bio_PrivateKey(source, nil, { _, _, _, _ in -1 }, nil) else {
      let isEncrypted = String(decoding: pem, as: UTF8.self).contains("ENCRYPTED")
      let error = CryptographyError.fromOpenSSL("reading a private key")
      throw isEncrypted ? CryptographyError("the key is encrypted with a passphrase") : error
    }
    self.pointer = pointer
  }
}
