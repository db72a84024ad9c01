import COpenSSL
import Glibc
import Platform

/// An X.509 certificate (RFC 5280). The private key that belongs to it is a `PrivateKey`, and `CertifiedKey` holds
/// both.
///
/// `@unchecked Sendable`: nothing changes the certificate once it is here, and libcrypto guards what it computes lazily
/// with a lock of the certificate's own.
package final class Certificate: @unchecked Sendable {
  /// An `X509`, valid while this object lives.
  package let pointer: OpaquePointer

  /// Takes over a reference.
  init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    X509_free(pointer)
  }

  /// The certificates of a PEM text (RFC 7468), in its order.
  package static func certificates(pem: [UInt8]) throws(CryptographyError) -> [Certificate] {
    let source = memoryBIO(pem)
    defer {
      BIO_free(source)
      ERR_clear_error()
    }
    var certificates: [Certificate] = []
    while let pointer = PEM_read_bio_X509(source, nil, nil, nil) {
      certificates.append(Certificate(owning: pointer))
    }
    let error = ERR_peek_last_error()
    // This is how the end of the text shows.
    guard ERR_GET_REASON(error) == PEM_R_NO_START_LINE else {
      throw CryptographyError.fromOpenSSL("reading a certificate")
    }
    return certificates
  }

  /// When it ends, in Unix seconds; nil if the certificate says so in no known way.
  package var notAfter: Int64? { Self.unixSeconds(X509_get0_notAfter(pointer)) }

  /// When it begins.
  package var notBefore: Int64? { Self.unixSeconds(X509_get0_notBefore(pointer)) }

  /// Whether it says where its issuer's certificate is, as those of public authorities do (RFC 5280 §4.2.2.1).
  package var namesIssuer: Bool { X509_get_ext_by_NID(pointer, NID_info_access, -1) >= 0 }

  /// Whether clients that connect to this host take the certificate for its (RFC 9525).
  ///
  /// - Parameter host: a name or an IP address.
  package func covers(host: String) -> Bool {
    X509_check_ip_asc(pointer, host, 0) == 1 || X509_check_host(pointer, host, host.utf8.count, 0, nil) == 1
  }

  /// The first name in it that is a host's own, rather than a pattern for several; nil if there is none.
  package var hostName: String? {
    guard let names = X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil).map(OpaquePointer.init) else {
      return nil
    }
    defer { GENERAL_NAMES_free(names) }
    for index in 0..<OPENSSL_sk_num(names) {
      var kind: Int32 = 0
      guard let name = OPENSSL_sk_value(names, index),
        let value = GENERAL_NAME_get0_value(name.assumingMemoryBound(to: GENERAL_NAME.self), &kind), kind == GEN_DNS
      else { continue }
      let text = value.assumingMemoryBound(to: ASN1_STRING.self)
      let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text)))
      if !bytes.contains(UInt8(ascii: "*")), let host = String(utf8: bytes) { return host }
    }
    return nil
  }

  private static func unixSeconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64? {
    var parts = tm()
    guard let time, ASN1_TIME_to_tm(time, &parts) == 1 else { return nil }
    return Int64(timegm(&parts))
  }
}

/// A `BIO` with a copy of `bytes`, for the functions of libcrypto that read PEM. Its owner frees it.
func memoryBIO(_ bytes: [UInt8]) -> OpaquePointer {
  guard let bio = BIO_new(BIO_s_mem()), bytes.isEmpty || BIO_write(bio, bytes, Int32(bytes.count)) == bytes.count
  else { fatalError("BIO_write: out of memory") }
  return bio
}
