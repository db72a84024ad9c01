import Cryptography
import Platform

@testable import HTTPServer

extension TLSContext {
  /// With a certificate for this machine, which no client of these tests checks.
  static let forTests: TLSContext = {
    do {
      return try TLSContext(.forTests(hosts: ["localhost", "127.0.0.1"]), tickets: TicketKeys())
    } catch {
      fatalError("\(error)")
    }
  }()
}

extension CertifiedKey {
  /// A new certificate, signed by a new root.
  static func forTests(hosts: [String]) throws -> CertifiedKey {
    let now = unixMilliseconds() / 1000
    let root = try CertificateAuthority(name: "Test", key: PrivateKey(), now: now)
    let key = try PrivateKey()
    return try CertifiedKey(
      chain: [root.issue(for: hosts.compactMap(HostName.init), key: key, now: now)], key: key)
  }
}
