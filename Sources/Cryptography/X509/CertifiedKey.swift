import COpenSSL

/// A server's identity: a private key, and the certificates that vouch for it. `TLSFiles` in SelfieServer reads both
/// from files.
package struct CertifiedKey: Sendable {
  /// The server's own certificate.
  package let certificate: Certificate
  /// The certificates between it and a root that clients know.
  package let chain: [Certificate]
  package let key: PrivateKey

  /// - Throws: an error that says what is wrong if the key is not the first certificate's.
  package init(chain: [Certificate], key: PrivateKey) throws(CryptographyError) {
    guard let first = chain.first else { throw CryptographyError("there is no certificate") }
    defer { ERR_clear_error() }
    guard X509_check_private_key(first.pointer, key.pointer) == 1 else {
      throw CryptographyError("the key does not belong to the certificate")
    }
    certificate = first
    self.chain = Array(chain.dropFirst())
    self.key = key
  }
}
