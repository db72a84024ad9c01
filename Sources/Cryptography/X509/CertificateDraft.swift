import COpenSSL

/// A certificate that is not signed yet.
///
/// The pointers of libcrypto are valid for the calls that they are passed to. The draft owns its `X509`, which belongs to
/// the `Certificate` once it is signed.
struct CertificateDraft {
  private let draft: Certificate
  private let issuer: Certificate?

  /// - Parameters:
  ///   - notBefore: Unix seconds, like `notAfter`.
  ///   - issuer: nil for a root, which signs itself.
  init(
    name: String, key: PrivateKey, notBefore: Int64, notAfter: Int64, issuer: Certificate? = nil
  ) throws(CryptographyError) {
    guard let pointer = X509_new() else { throw .fromOpenSSL("X509_new") }
    draft = Certificate(owning: pointer)
    self.issuer = issuer
    let subject = X509_get_subject_name(pointer)
    guard
      X509_set_version(pointer, Int(X509_VERSION_3)) == 1, Self.setSerialNumber(of: pointer),
      ASN1_TIME_set(X509_getm_notBefore(pointer), time_t(notBefore)) != nil,
      ASN1_TIME_set(X509_getm_notAfter(pointer), time_t(notAfter)) != nil,
      // No more fits into a common name (RFC 5280, ub-common-name). Clients do not look at it.
      X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, String(name.prefix(64)), -1, -1, 0) == 1,
      X509_set_issuer_name(pointer, issuer.map { X509_get_subject_name($0.pointer) } ?? subject) == 1,
      X509_set_pubkey(pointer, key.pointer) == 1
    else { throw .fromOpenSSL("making a certificate") }
  }

  /// Adds an extension in the words of x509v3_config(5).
  func add(_ identifier: Int32, _ value: String) throws(CryptographyError) {
    var context = X509V3_CTX()
    X509V3_set_ctx(&context, (issuer ?? draft).pointer, draft.pointer, nil, nil, 0)
    guard let found = X509V3_EXT_nconf_nid(nil, &context, identifier, value) else {
      throw .fromOpenSSL("making an extension of a certificate")
    }
    defer { X509_EXTENSION_free(found) }
    guard X509_add_ext(draft.pointer, found, -1) == 1 else { throw .fromOpenSSL("adding an extension") }
  }

  func signed(by key: PrivateKey) throws(CryptographyError) -> Certificate {
    guard X509_sign(draft.pointer, key.pointer, EVP_sha256()) > 0 else { throw .fromOpenSSL("signing a certificate") }
    return draft
  }

  /// A random positive number (RFC 5280 §4.1.2.2), so that no two certificates of an issuer have the same.
  private static func setSerialNumber(of certificate: OpaquePointer) -> Bool {
    var bytes = RandomSource.system.bytes(16)
    bytes[0] = bytes[0] & 0x7f | 0x40
    guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return false }
    defer { BN_free(number) }
    return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
  }
}
