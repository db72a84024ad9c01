import Cryptography
import Foundation
import Platform

/// A certificate for localhost, with a root of its own.
public struct ServerCertificate: Sendable {
  public let root: CertificateAuthority
  private let key: PrivateKey
  private let certificate: Certificate

  public init() throws {
    let now = unixMilliseconds() / 1000
    root = try CertificateAuthority(name: "PostgreSQL's tests", key: PrivateKey(), now: now)
    key = try PrivateKey()
    certificate = try root.issue(for: ["localhost"].compactMap(HostName.init), key: key, now: now)
  }

  /// Writes `certificate.pem` and `key.pem`.
  public func write(to folder: TemporaryFolder) throws {
    try folder.write(certificate.pem, to: "certificate.pem")
    try folder.write(key.pem, to: "key.pem")
    chmod("\(folder.path)/key.pem", 0o600)
  }
}
