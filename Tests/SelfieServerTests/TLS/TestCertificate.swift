import Cryptography
import Platform
import TestSupport

/// A certificate for this machine from the root of these tests.
struct TestCertificate {
  static let environment = ["TLS_CERTIFICATE": "tls/certificate.pem", "TLS_KEY": "tls/key.pem"]
  private static let root = Result { () throws(CryptographyError) in
    try CertificateAuthority(name: "selfie-server's tests", key: PrivateKey(), now: now)
  }
  private static var now: Int64 { unixMilliseconds() / 1000 }

  let key: PrivateKey
  let certificate: Certificate
  let root: CertificateAuthority

  /// - Parameters:
  ///   - age: how many seconds ago it was made.
  ///   - host: an address of this machine.
  init(age: Int64 = 0, host: String = "127.0.0.1") throws {
    root = try Self.root.get()
    key = try PrivateKey()
    let hosts = ["localhost", host].compactMap(HostName.init)
    certificate = try root.issue(for: hosts, key: key, now: Self.now - age)
  }

  /// Writes the files of `environment`, and `tls/root.pem`.
  func write(to folder: TemporaryFolder) throws {
    try folder.write(root.certificate.pem, to: "tls/root.pem")
    try folder.write(key.pem, to: "tls/key.pem")
    try folder.write(certificate.pem, to: "tls/certificate.pem")
  }
}
