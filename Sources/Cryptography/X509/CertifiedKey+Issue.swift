import COpenSSL

// Issues certificates that clients should refuse, for tests. CertifiedKey.swift has the certificates that a server was
// given.
extension CertifiedKey {
  /// Issues another certificate for the same key, which says what this one does but for what is given.
  ///
  /// - Parameters:
  ///   - name: the server's only name; nil for those of this certificate.
  ///   - seconds: when it ends, from now on.
  ///   - isKnown: whether this certificate vouches for it, rather than only itself.
  package func issue(
    for name: String? = nil, endingIn seconds: Int = 86_400, isKnown: Bool = true
  ) throws(CryptographyError) -> CertifiedKey {
    guard let pointer = X509_dup(certificate.pointer), let subject = X509_get_subject_name(pointer) else {
      throw .fromOpenSSL("X509_dup")
    }
    let issued = Certificate(owning: pointer)
    for id in name == nil ? [NID_authority_key_identifier] : [NID_authority_key_identifier, NID_subject_alt_name] {
      let place = X509_get_ext_by_NID(pointer, id, -1)
      if place >= 0 { X509_EXTENSION_free(X509_delete_ext(pointer, place)) }
    }
    if let name {
      let names = X509V3_EXT_conf_nid(nil, nil, NID_subject_alt_name, "DNS:\(name)")
      defer { X509_EXTENSION_free(names) }
      guard X509_add_ext(pointer, names, -1) == 1 else { throw .fromOpenSSL("X509_add_ext") }
    }
    guard
      // No two of an issuer may be equal (RFC 5280 §4.1.2.2).
      ASN1_INTEGER_set(X509_get_serialNumber(pointer), .random(in: 1...Int.max)) == 1,
      X509_gmtime_adj(X509_getm_notBefore(pointer), seconds - 7 * 86_400) != nil,
      X509_gmtime_adj(X509_getm_notAfter(pointer), seconds) != nil,
      // A certificate whose subject is that of its issuer counts as self-signed.
      X509_NAME_add_entry_by_txt(subject, "OU", MBSTRING_UTF8, "Issued by selfie-server", -1, -1, 0) == 1,
      X509_set_issuer_name(pointer, isKnown ? X509_get_subject_name(certificate.pointer) : subject) == 1,
      // Some keys have a digest of their own.
      X509_sign(pointer, key.pointer, EVP_sha256()) > 0 || X509_sign(pointer, key.pointer, nil) > 0
    else { throw .fromOpenSSL("issuing a certificate") }
    return try CertifiedKey(chain: [issued] + (isKnown ? [certificate] + chain : []), key: key)
  }
}
