import TestSupport
import Testing

@testable import Cryptography

/// The rules of iOS for a certificate of a root that a user has installed.
@Suite struct CertificateAuthorityTests {
  private static let now: Int64 = 1_795_213_456
  private static let hosts = ["selfie.local", "192.168.1.20", "2001:db8::1"]

  private let root: CertificateAuthority
  private let key: PrivateKey
  private let leaf: Certificate

  init() throws {
    root = try CertificateAuthority(name: "selfie-server of Jane", key: PrivateKey(), now: Self.now)
    key = try PrivateKey()
    leaf = try root.issue(for: Self.hosts.compactMap(HostName.init), key: key, now: Self.now)
  }

  /// What `openssl x509 -text` says, with single spaces.
  private func text(of certificate: Certificate) throws -> String {
    let (_, text) = try Program.output(
      of: "/usr/bin/openssl", ["x509", "-noout", "-text"], input: certificate.pem)
    return text.split { $0.isWhitespace }.joined(separator: " ")
  }

  @Test func `a server's certificate is what iOS asks for`() throws {
    let text = try text(of: leaf)
    for part in [
      "Version: 3", "Signature Algorithm: ecdsa-with-SHA256", "Issuer: CN = selfie-server of Jane",
      "Subject: CN = selfie.local", "NIST CURVE: P-256", "X509v3 Basic Constraints: critical CA:FALSE",
      "X509v3 Key Usage: critical Digital Signature X509v3", "X509v3 Extended Key Usage: TLS Web Server Authentication",
      "DNS:selfie.local, IP Address:192.168.1.20, IP Address:2001:DB8:0:0:0:0:0:1",
    ] {
      #expect(text.contains(part), "\(part) is not in: \(text)")
    }
    let (start, end) = (try #require(leaf.notBefore), try #require(leaf.notAfter))
    #expect(end - start <= 825 * 86_400 && end == Self.now + 397 * 86_400 && start < Self.now)
    #expect(leaf.isSigned(by: root.certificate))
    for host in Self.hosts { #expect(leaf.isFor(host)) }
    #expect(!leaf.isFor("selfie") && !leaf.isFor("192.168.1.21"))
  }

  @Test func `a root can only sign certificates of servers, and has a common name`() throws {
    let text = try text(of: root.certificate)
    for part in [
      "Subject: CN = selfie-server of Jane", "X509v3 Basic Constraints: critical CA:TRUE, pathlen:0",
      "X509v3 Key Usage: critical Certificate Sign, CRL Sign",
    ] {
      #expect(text.contains(part), "\(part) is not in: \(text)")
    }
    #expect(root.certificate.isSigned(by: root.certificate))
    #expect(try #require(root.certificate.notAfter) >= Self.now + 3650 * 86_400)
  }

  @Test func `no two certificates have the same serial number`() throws {
    let other = try root.issue(for: Self.hosts.compactMap(HostName.init), key: key, now: Self.now)
    #expect(other.der != leaf.der)
  }

  @Test func `certificates and keys survive PEM`() throws {
    let pem = leaf.pem + root.certificate.pem
    #expect(try Certificate.certificates(pem: pem).map(\.der) == [leaf.der, root.certificate.der])
    let again = try PrivateKey(pem: key.pem)
    #expect(again.matches(leaf) && !again.matches(root.certificate))
    #expect(try CertifiedKey(chain: [leaf, root.certificate], key: again).chain.count == 1)
    #expect(throws: CryptographyError.self) { try CertifiedKey(chain: [root.certificate], key: again) }
  }

  @Test(arguments: [
    "", "x", "-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  ])
  func `what is no PEM is no certificate`(text: String) {
    let certificates = try? Certificate.certificates(pem: Array(text.utf8))
    #expect(certificates?.isEmpty != false)
    #expect(throws: CryptographyError.self) { try PrivateKey(pem: Array(text.utf8)) }
  }

  @Test(arguments: [
    "selfie.local", "localhost", "a-b.example", "*.selfies.example", "10.0.0.1", "::1", "xn--bcher-kva.example",
  ]) func `hosts`(text: String) {
    #expect(HostName(text) != nil)
  }

  @Test(arguments: [
    "", ".", "a..b", "-a", "a-", "a b", "a,IP:1.2.3.4", "a:b", "https://a", "*.example", "a*.b.c", "bücher.example",
    "10.0.0", "10.0.0.256", "a_b", String(repeating: "a", count: 64),
  ]) func `what is no host`(text: String) {
    #expect(HostName(text) == nil)
  }
}
