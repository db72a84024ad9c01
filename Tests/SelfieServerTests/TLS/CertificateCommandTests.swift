import Cryptography
import Foundation
import FoundationNetworking
import Glibc
import TestSupport
import Testing

/// `selfie-server certificate`, and a server that uses what it makes.
@Suite(.timeLimit(.minutes(10))) struct CertificateCommandTests {
  private let folder: TemporaryFolder
  private static let files = ["TLS_CERTIFICATE": "storage/tls/certificate.pem", "TLS_KEY": "storage/tls/key.pem"]

  init() throws {
    folder = try TemporaryFolder()
  }

  private func make(_ hosts: String...) async throws -> ServerProcess.Outcome {
    try await ServerProcess.run(["certificate"] + hosts.flatMap { ["--host", $0] }, in: folder)
  }

  private func certificate(_ name: String) throws -> Certificate {
    try #require(try Certificate.certificates(pem: folder.bytes(of: "storage/tls/\(name).pem")).first)
  }

  @Test func `makes a root once and a certificate each time, which only the owner can read`() async throws {
    let first = try await make("selfie.local", "127.0.0.1")
    #expect(first.status == 0, "\(first.message)")
    #expect(first.output.contains { $0.contains("Certificate Trust Settings") })
    for name in ["root", "root-key", "certificate", "key"] {
      #expect(try folder.permissions(of: "storage/tls/\(name).pem") == 0o600)
    }
    #expect(try folder.permissions(of: "storage/tls") == 0o700)
    let (root, leaf) = (try certificate("root"), try certificate("certificate"))
    #expect(leaf.isSigned(by: root) && leaf.isFor("selfie.local") && leaf.isFor("127.0.0.1"))

    let second = try await make("10.0.0.7")
    #expect(second.status == 0 && !second.output.contains { $0.contains("Certificate Trust Settings") })
    #expect(try certificate("root").der == root.der)
    #expect(try certificate("certificate").isFor("10.0.0.7"))
  }

  @Test func `a server serves with it, and closes the folder to others`() async throws {
    _ = try await make("127.0.0.1")
    chmod("\(folder.path)/storage/tls", 0o755)
    let server = try ServerProcess(environment: Self.files, in: folder)
    let port = try await server.port()
    let curl = try await ServerProcess.run(
      [], in: folder, shell: "exec curl -s --cacert storage/tls/root.pem https://127.0.0.1:\(port)/up", hasHome: false)
    #expect(curl.output == [#"{"status":"up"}"#])
    #expect(try folder.permissions(of: "storage/tls") == 0o700)
    await server.stop()
  }

  /// On Linux URLSession trusts the roots in a file of the system, whatever the environment and a delegate say:
  /// SSL_CERT_FILE, CURL_CA_BUNDLE and URLSessionCertificateAuthorityInfoFile change nothing. So the app runs in a process
  /// that has the private root in the place of that file.
  @Test(.enabled(if: SmallDisk.isPossible, "needs root, to mount a file"))
  func `the app works by URLSession where the root is installed, and nowhere else`() async throws {
    _ = try await make("localhost")
    let password = "2fJ8aPx91kLmQzR7"
    let server = try ServerProcess(
      environment: Self.files.merging(["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": password]) { $1 }, in: folder)
    let origin = "https://localhost:\(try await server.port())"
    let url = try #require(URL(string: "\(origin)/up"))
    await #expect(throws: (any Error).self) { try await Loader().load(URLRequest(url: url)) }
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    let app = try await ServerProcess.run(
      [], environment: [ServerOverTLS.originName: origin, ServerOverTLS.passwordName: password], in: folder,
      shell: """
        exec unshare --mount sh -c 'mount --bind storage/tls/root.pem /etc/ssl/certs/ca-certificates.crt &&
        exec \(program) --testing-library swift-testing --filter AppOverTLS'
        """, hasHome: false)
    #expect(app.status == 0, "\(app.output) \(app.message)")
    let lines = app.output + app.errors
    #expect(lines.contains { $0.contains("1 test in 1 suite passed") }, "\(lines)")
    await server.stop()
  }

  @Test func `a certificate that runs out soon is made anew for the same hosts`() async throws {
    _ = try await make("selfie.local", "127.0.0.1")
    let now = Int64(Date().timeIntervalSince1970)
    let root = try CertificateAuthority(
      CertifiedKey(
        chain: [certificate("root")], key: PrivateKey(pem: folder.bytes(of: "storage/tls/root-key.pem"))))
    let old = try root.issue(
      for: [#require(HostName("selfie.local"))],
      key: PrivateKey(pem: folder.bytes(of: "storage/tls/key.pem")), now: now - 390 * 86_400)
    try folder.write(old.pem, to: "storage/tls/certificate.pem")
    let server = try ServerProcess(environment: Self.files, in: folder)
    let port = try await server.port()
    try await waitUntil {
      let shown = try await RawClient.connect(to: port, tls: .init()).tls?.serverCertificate
      return try #require(shown?.notAfter) > now + 300 * 86_400 && shown?.isFor("127.0.0.1") == true
    }
    await server.stop()
  }

  @Test func `the root can be fetched only while that is asked for`() async throws {
    _ = try await make("127.0.0.1")
    let download = try ServerProcess(["certificate", "--serve", "--serve-port", "0"], in: folder)
    let line = await download.output.first { $0.contains("ca.mobileconfig") }
    let port = try #require(line?.firstMatch(of: /:(\d+)\//).flatMap { Int($0.1) })
    func get(_ path: String) async throws -> RawResponse {
      let client = try await RawClient.connect(to: port)
      try await client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      return try await client.response()
    }
    let root = try certificate("root")
    let cer = try await get("/ca.cer")
    #expect(cer.body == root.der && cer["content-type"] == "application/x-x509-ca-cert")
    let profile = try await get("/ca.mobileconfig")
    #expect(profile["content-type"] == "application/x-apple-aspen-config")
    let property = try PropertyListSerialization.propertyList(from: Data(profile.body), format: nil) as? [String: Any]
    let payload = (property?["PayloadContent"] as? [[String: Any]])?.first
    #expect(payload?["PayloadType"] as? String == "com.apple.security.root")
    #expect((payload?["PayloadContent"] as? Data).map { Array($0) } == root.der)
    #expect(try await get("/storage/tls/root-key.pem").status == 404)
    await download.stop()
  }

  @Test(arguments: [
    (["--host", "a b"], "--host is a b, which is neither a name nor an IP address."),
    ([], "There is no certificate yet. Say for which names and addresses: --host selfie.local"),
  ])
  func `what cannot be done is said`(arguments: [String], message: String) async throws {
    let outcome = try await ServerProcess.run(["certificate"] + arguments, in: folder)
    #expect(outcome.status == 1 && outcome.message.contains(message), "\(outcome.message)")
    #expect(!folder.exists("storage/tls/root.pem"))
  }
}
