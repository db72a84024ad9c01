import Cryptography
import Foundation
import FoundationNetworking
import Glibc
import Platform
import TestSupport
import Testing

@testable import SelfieServerCommands

/// The program with TLS_CERTIFICATE and TLS_KEY, as clients of other makes see it.
@Suite(.timeLimit(.minutes(10))) struct TLSServeTests {
  private static let password = "2fJ8aPx91kLmQzR7"
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try TestCertificate(for: ["localhost", "127.0.0.1"]).write(to: folder, "tls")
  }

  private func start(_ environment: [String: String] = [:]) throws -> ServerProcess {
    try ServerProcess(environment: TestCertificate.environment.merging(environment) { $1 }, in: folder)
  }

  /// Runs a command of another program in the folder.
  private func run(_ command: String) async throws -> ServerProcess.Outcome {
    try await ServerProcess.run([], in: folder, shell: "exec \(command)", hasHome: false)
  }

  /// The serial number of the certificate that a server shows.
  private func serial(at port: Int) async throws -> String? {
    let outcome = try await run(
      "sh -c 'openssl s_client -connect 127.0.0.1:\(port) </dev/null 2>/dev/null | openssl x509 -noout -serial'")
    return outcome.output.first { $0.hasPrefix("serial=") }
  }

  private func serial(of file: String) async throws -> String? {
    try await run("openssl x509 -noout -serial -in \(file)").output.first
  }

  @Test func `the app's whole flow works, and photos' addresses are https`() async throws {
    let server = try start(["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": Self.password])
    let port = try await server.port()
    let origin = "https://localhost:\(port)"
    let curl = "curl -sf --max-time 60 --cacert tls/certificate.pem"
    let password = AESCrypt(password: Array(Self.password.utf8)).encrypt(Array("secret12".utf8))
    try folder.write(
      #"{"full_name":"Jane","email":"jane@example.com","password":"\#(password)"}"#, to: "account.json")
    let photo = PNG.random(width: 300, height: 300)
    try folder.write(Array(photo), to: "photo.png")
    func json(_ command: String) async throws -> String {
      let outcome = try await run("\(curl) \(command)")
      #expect(outcome.status == 0, "\(command): \(outcome.status ?? -1) \(outcome.message)")
      return outcome.output.joined()
    }
    let account = "-u name:\(Self.password) -H Content-Type:application/json -d @account.json \(origin)/api"
    _ = try await json("\(account)/signup")
    let user = try await json("\(account)/signin")
    let token = try #require(user.firstMatch(of: /"api_authtoken":"(\w+)"/)?.1)
    let field = "-H 'Authorization: Token token=\(token)'"
    _ = try await json("\(field) -F title=one -F image=@photo.png \(origin)/api/upload_photo")
    let list = try await json("\(field) \(origin)/api/get_photos")
    let address = try #require(list.firstMatch(of: /"image_url":"(https:[^"]+)"/)?.1)
    #expect(address.hasPrefix("\(origin)/photos/"))
    _ = try await json("-o copy.png \(address)")
    #expect(try folder.bytes(of: "copy.png") == Array(photo))
    await server.stop()
    #expect(await server.output.first { $0.hasPrefix("Listening on ") } == "Listening on https://127.0.0.1:\(port)")
  }

  @Test func `curl checks the certificate`() async throws {
    let server = try start()
    let port = try await server.port()
    let curl =
      "curl -s --max-time 60 https://127.0.0.1:\(port)/up -o up -w '%{http_version} %{ssl_verify_result} %{http_code}'"
    #expect(try await run("\(curl) --cacert tls/certificate.pem").output == ["1.1 0 200"])
    #expect(try await run(curl).status == 60)
    let health = try await ServerProcess.run(
      ["health"], environment: TestCertificate.environment.merging(["PORT": "\(port)"]) { $1 }, in: folder)
    #expect(health.status == 0, "\(health.message)")
    await server.stop()
  }

  @Test(arguments: [
    ("-tls1_2", "Protocol version: TLSv1.2"), ("-tls1_3", "Protocol version: TLSv1.3"),
    ("-alpn h2,http/1.1", "Verification: OK"), ("-noservername", "Verification: OK"),
    ("-tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256", "Ciphersuite: ECDHE-ECDSA-AES128-GCM-SHA256"),
    ("-curves P-256", "Verification: OK"),
  ])
  func `openssl connects with what is safe`(arguments: String, expected: String) async throws {
    let server = try start()
    let outcome = try await run(
      "sh -c 'openssl s_client -brief -CAfile tls/certificate.pem \(arguments) -connect 127.0.0.1:\(server.port()) </dev/null 2>&1'"
    )
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.contains(expected), "\(outcome.output)")
    await server.stop()
  }

  @Test(arguments: [
    "-tls1 -cipher DEFAULT@SECLEVEL=0", "-tls1_1 -cipher DEFAULT@SECLEVEL=0", "-tls1_2 -cipher AES128-SHA256",
    "-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA256", "-tls1_2 -cipher aNULL@SECLEVEL=0", "-alpn h2",
  ])
  func `openssl is refused what is not`(arguments: String) async throws {
    let server = try start()
    let outcome = try await run(
      "sh -c 'openssl s_client -brief \(arguments) -connect 127.0.0.1:\(server.port()) </dev/null 2>&1'")
    #expect(outcome.status == 1)
    #expect(!outcome.output.contains("CONNECTION ESTABLISHED"), "\(outcome.output)")
    await server.stop()
  }

  @Test func `openssl resumes its sessions`() async throws {
    let server = try start()
    let port = try await server.port()
    for version in ["-tls1_2", "-tls1_3"] {
      let outcome = try await run(
        """
        sh -c 'printf "GET /up HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n" | openssl s_client -quiet \
        \(version) -sess_out session -connect 127.0.0.1:\(port) >/dev/null 2>&1; \
        openssl s_client \(version) -sess_in session -connect 127.0.0.1:\(port) </dev/null 2>/dev/null'
        """)
      #expect(outcome.output.contains { $0.hasPrefix("Reused, ") }, "\(version)")
    }
    await server.stop()
  }

  @Test func `a new certificate is used at once after SIGHUP, and a bad one is not`() async throws {
    let server = try start()
    let port = try await server.port()
    let old = try await serial(at: port)
    try TestCertificate().write(to: folder, "tls")
    server.signal(SIGHUP)
    _ = await server.errors.first { $0.contains("the certificate was reloaded") }
    let new = try await serial(at: port)
    #expect(new != old)
    let expected = try await serial(of: "tls/certificate.pem")
    #expect(new == expected)

    try folder.write(TestCertificate().key, to: "tls/key.pem")
    server.signal(SIGHUP)
    let line = await server.errors.first { $0.contains("so the old one stays") }
    #expect(line?.contains("TLS_KEY is tls/key.pem, which is not the key of the certificate") == true)
    #expect(try await serial(at: port) == new)
    await server.stop()
  }

  @Test func `a certificate that has become a pipe holds up neither a reload nor the server's end`() async throws {
    let server = try start()
    let port = try await server.port()
    let old = try await serial(at: port)
    try folder.remove("tls/certificate.pem")
    try #require(mkfifo("\(folder.path)/tls/certificate.pem", 0o600) == 0)
    server.signal(SIGHUP)
    let line = await server.errors.first { $0.contains("so the old one stays") }
    #expect(line?.contains("TLS_CERTIFICATE is tls/certificate.pem, which cannot be read: Not a plain file.") == true)
    #expect(try await serial(at: port) == old)
    await server.stop()
  }

  @Test func `a symbolic link to another pair is noticed within seconds, and open connections go on`() async throws {
    try folder.move("tls", to: "live-1")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/tls", withDestinationPath: "\(folder.path)/live-1")
    let server = try start()
    let port = try await server.port()
    let client = try await RawClient.connect(to: port, tls: .init())
    let get = "GET /up HTTP/1.1\r\nHost: a\r\n\r\n"
    try await client.send(get)
    #expect(try await client.response().status == 200)

    let other = try TemporaryFolder()
    try TestCertificate().write(to: other, "tls")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/next", withDestinationPath: "\(other.path)/tls")
    #expect(rename("\(folder.path)/next", "\(folder.path)/tls") == 0)
    _ = await server.errors.first { $0.contains("the certificate was reloaded") }
    let expected = try await serial(of: "\(other.path)/tls/certificate.pem")
    #expect(try await serial(at: port) == expected)
    try await client.send(get)
    #expect(try await client.response().status == 200)
    await server.stop()
  }

  @Test func `what is wrong with a usable certificate is said in the log`() async throws {
    chmod("\(folder.path)/tls/key.pem", 0o644)
    let server = try start()
    let port = try await server.port()
    await server.stop()
    let log = await server.errors.all()
    #expect(log.contains { $0.contains("can read the key of the certificate: chmod o= tls/key.pem") })
    #expect(port > 0)
  }

  @Test func `a certificate that is not valid, or not for much longer, is pointed out`() throws {
    let files = TLSFiles(certificate: "\(folder.path)/tls/certificate.pem", key: "\(folder.path)/tls/key.pem")
    let certifiedKey = try files.certifiedKey(files.contents())
    let (now, day) = (unixMilliseconds() / 1000, Int64(86_400))
    #expect(files.warnings(about: certifiedKey, now: now).isEmpty)
    for (days, part) in [(-1, "is not valid yet"), (290, "expires within 14 days"), (301, "has expired")]
      as [(Int64, _)]
    {
      let warnings = files.warnings(about: certifiedKey, now: now + days * day)
      #expect(warnings.count == 1 && warnings[0].contains(part), "\(warnings)")
    }
  }

  /// On Linux URLSession trusts the roots in a file of the system, whatever the environment and a delegate say:
  /// SSL_CERT_FILE, CURL_CA_BUNDLE and URLSessionCertificateAuthorityInfoFile change nothing. So the app runs in a process
  /// that has the server's certificate in the place of that file.
  @Test(.enabled(if: SmallDisk.isPossible, "needs root, to mount a file"))
  func `the app works by URLSession where the certificate is trusted, and nowhere else`() async throws {
    let server = try start(["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": Self.password])
    let origin = "https://localhost:\(try await server.port())"
    let url = try #require(URL(string: "\(origin)/up"))
    await #expect(throws: (any Error).self) { try await Loader().load(URLRequest(url: url)) }
    let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().path
    let app = try await ServerProcess.run(
      [], environment: [ServerOverTLS.originName: origin, ServerOverTLS.passwordName: Self.password], in: folder,
      shell: """
        exec unshare --mount sh -c 'mount --bind tls/certificate.pem /etc/ssl/certs/ca-certificates.crt &&
        exec \(program) --testing-library swift-testing --filter AppOverTLS'
        """, hasHome: false)
    #expect(app.status == 0, "\(app.output) \(app.message)")
    let lines = app.output + app.errors
    #expect(lines.contains { $0.contains("1 test in 1 suite passed") }, "\(lines)")
    await server.stop()
  }
}

extension TestCertificate {
  static let environment = ["TLS_CERTIFICATE": "tls/certificate.pem", "TLS_KEY": "tls/key.pem"]
}
