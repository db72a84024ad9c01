import TestSupport
import Testing

@testable import Cryptography

@Suite struct CertifiedKeyTests {
  @Test func `a key and the chain of its certificate are read from PEM`() throws {
    let (first, other) = (try TestCertificate(), try TestCertificate())
    let chain = try Certificate.certificates(pem: first.certificate + other.certificate)
    #expect(chain.count == 2)
    let certifiedKey = try CertifiedKey(chain: chain, key: PrivateKey(pem: first.key))
    #expect(certifiedKey.chain.count == 1)
    let (start, end) = (try #require(chain[0].notBefore), try #require(chain[0].notAfter))
    #expect(end - start == 300 * 86_400)
  }

  @Test func `a key of another certificate is refused, and so is a key without any`() throws {
    let (first, other) = (try TestCertificate(), try TestCertificate())
    let key = try PrivateKey(pem: other.key)
    #expect(throws: CryptographyError.self) {
      try CertifiedKey(chain: Certificate.certificates(pem: first.certificate), key: key)
    }
    #expect(throws: CryptographyError.self) { try CertifiedKey(chain: [], key: key) }
  }

  @Test(arguments: [["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], ["rsa:2048"], ["ed25519"]])
  func `it issues other certificates for its key`(key: [String]) throws {
    let own = try TestCertificate(key: key).certifiedKey
    let known = try own.issue(for: "wrong.invalid", endingIn: -86_400)
    #expect(known.chain.first === own.certificate)
    let (start, end) = (try #require(known.certificate.notBefore), try #require(known.certificate.notAfter))
    #expect(end - start == 7 * 86_400)
    #expect(end < (try #require(own.certificate.notBefore)))
    #expect(try own.issue(isKnown: false).chain.isEmpty)
  }

  @Test(arguments: [
    "", "x", "-----BEGIN CERTIFICATE-----\n", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
  ])
  func `what is no PEM is no certificate`(text: String) {
    let certificates = try? Certificate.certificates(pem: Array(text.utf8))
    #expect(certificates?.isEmpty != false)
    #expect(throws: CryptographyError.self) { try PrivateKey(pem: Array(text.utf8)) }
  }
}
