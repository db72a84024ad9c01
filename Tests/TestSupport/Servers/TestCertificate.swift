import Cryptography
import Foundation

/// A new key with a certificate that it has signed itself: whoever has the certificate as a root trusts the server.
package struct TestCertificate: Sendable {
  /// Both in PEM.
  package let certificate: [UInt8]
  package let key: [UInt8]

  /// - Parameters:
  ///   - hosts: names and IPv4 addresses of the server.
  ///   - key: openssl's options for a key.
  ///   - more: other options of openssl.
  package init(
    for hosts: [String] = ["localhost"], key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
    more: [String] = []
  ) throws {
    let names = hosts.map { "\($0.allSatisfy { $0.isNumber || $0 == "." } ? "IP" : "DNS"):\($0)" }
    let (_, text) = try Program.output(
      of: "/usr/bin/openssl",
      [
        "req", "-x509", "-noenc", "-days", "300", "-subj", "/CN=Test", "-addext",
        "subjectAltName=\(names.joined(separator: ","))", "-keyout", "-", "-out", "-", "-newkey",
      ] + key + more)
    let parts = text.split(separator: "-----BEGIN CERTIFICATE-----")
    guard parts.count == 2 else { throw NotPossible(text) }
    self.key = Array(parts[0].utf8)
    certificate = Array("-----BEGIN CERTIFICATE-----\(parts[1])".utf8)
  }

  package var certifiedKey: CertifiedKey {
    get throws { try CertifiedKey(chain: Certificate.certificates(pem: certificate), key: PrivateKey(pem: key)) }
  }

  /// As `ClientTLS.serverCertificate` has it.
  package var der: [UInt8] {
    let lines = String(decoding: certificate, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("-") }
    return Data(base64Encoded: lines.joined()).map { Array($0) } ?? []
  }

  /// Writes `certificate.pem` and `key.pem`, which only this user can read.
  package func write(to folder: TemporaryFolder, _ subfolder: String = ".") throws {
    try folder.write(certificate, to: "\(subfolder)/certificate.pem")
    try folder.write(key, to: "\(subfolder)/key.pem")
    chmod("\(folder.path)/\(subfolder)/key.pem", 0o600)
  }
}
