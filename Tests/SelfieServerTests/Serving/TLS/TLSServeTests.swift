import APITestSupport
import Foundation
import Glibc
import Platform
import SelfieOperations
import TestSupport
import Testing

@testable import SelfieServer

/// The program with TLS_CERTIFICATE and TLS_KEY, as clients of other makes see it.
@Suite(.timeLimit(.minutes(10))) struct TLSServeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try TestCertificate(for: ["localhost", "127.0.0.1"]).write(to: folder, "tls")
  }

  private var files: TLSFiles {
    TLSFiles(certificate: "\(folder.path)/tls/certificate.pem", key: "\(folder.path)/tls/key.pem")
  }

  private func start(_ environment: [String: String] = [:]) throws -> ServerProcess {
    try ServerProcess(environment: TestCertificate.environment.merging(environment) { $1 }, in: folder)
  }

  /// The output of openssl as a client.
  @discardableResult
  private func openssl(_ arguments: String, at server: ServerProcess, status: Int32 = 0) async throws -> [String] {
    let command = "openssl s_client \(arguments) -connect 127.0.0.1:\(try await server.port()) </dev/null 2>&1"
    return try await folder.shell("sh -c '\(command)'", status: status).output
  }

  /// The certificate that a server shows.
  private func certificate(of server: ServerProcess) async throws -> [UInt8]? {
    try await RawClient.connect(to: server.port(), tls: .init()).tls?.serverCertificate
  }

  @Test func `curl checks the certificate`() async throws {
    let server = try start()
    let port = try await server.port()
    let curl =
      "curl -s --max-time 60 https://127.0.0.1:\(port)/up -o up -w '%{http_version} %{ssl_verify_result} %{http_code}'"
    #expect(try await folder.shell("\(curl) --cacert tls/certificate.pem").output == ["1.1 0 200"])
    try await folder.shell(curl, status: 60)
    try await folder.run("health", environment: TestCertificate.environment.merging(["PORT": "\(port)"]) { $1 })
    // What concerns the transport is told to the application.
    try await TestTransport.$tls.withValue(ClientTLS.Options()) {
      for (path, cookie) in [("register", false), ("login", true)] {
        let (fields, body) = (["Host: a", "Content-Type: application/json"], #"{"name":"a","password":"p"}"#)
        let response = try await server.response(to: "POST /users/\(path)", fields, body: body)
        #expect(response.status == 200 && response["set-cookie"]?.hasSuffix("; Secure") == (cookie ? true : nil))
      }
    }
    await server.stop()
    #expect(await server.output.first { $0.hasPrefix("Listening on ") } == "Listening on https://127.0.0.1:\(port)")
  }

  @Test func `openssl connects with what is safe, and is refused what is not`() async throws {
    let server = try start()
    for (arguments, expected) in [
      ("-tls1_2", "Protocol version: TLSv1.2"), ("-tls1_3", "Protocol version: TLSv1.3"),
      ("-alpn h2,http/1.1", "Verification: OK"), ("-noservername", "Verification: OK"),
      ("-tls1_2 -cipher ECDHE-ECDSA-AES128-GCM-SHA256", "Ciphersuite: ECDHE-ECDSA-AES128-GCM-SHA256"),
      ("-curves P-256", "Verification: OK"),
    ] {
      let output = try await openssl("-brief -CAfile tls/certificate.pem \(arguments)", at: server)
      #expect(output.contains(expected), "\(output)")
    }
    for arguments in [
      "-tls1 -cipher DEFAULT@SECLEVEL=0", "-tls1_1 -cipher DEFAULT@SECLEVEL=0", "-tls1_2 -cipher AES128-SHA256",
      "-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA256", "-tls1_2 -cipher aNULL@SECLEVEL=0", "-alpn h2",
    ] {
      let output = try await openssl("-brief \(arguments)", at: server, status: 1)
      #expect(!output.contains("CONNECTION ESTABLISHED"), "\(output)")
    }
  }

  @Test func `a test shows clients a certificate that they refuse, and they resume no session`() async throws {
    let server = try start(["EPHEMERAL": "on"])
    let address = "https://127.0.0.1:\(try await server.port())"
    let curl = "curl --silent --show-error --max-time 60 --output body"
    func show(_ fault: String, for duration: String) async throws {
      try folder.write(#"{"fault":"\#(fault)","for":"\#(duration)"}"#, to: "fault")
      let post = "--insecure --fail-with-body --json @fault \(address)/__admin/faults/connections"
      try await folder.shell("\(curl) \(post)")
    }
    let verify = "-CAfile tls/certificate.pem -verify_return_error -verify_hostname localhost -brief -tls1_2"
    try await openssl("\(verify) -sess_out session", at: server)
    for (fault, reason, message) in [
      ("expired", "certificate has expired", "certificate has expired"),
      ("wrong_name", "hostname mismatch", "no alternative certificate subject name matches"),
      ("unknown_root", "self-signed certificate", "self-signed certificate"),
    ] {
      try await show(fault, for: "60s")
      let lines = try await openssl("\(verify) -sess_in session", at: server, status: 1)
      #expect(lines.contains { $0.contains(reason) }, "\(lines)")
      let outcome = try await folder.shell("\(curl) --cacert tls/certificate.pem \(address)/up", status: 60)
      #expect(outcome.message.contains(message), "\(outcome)")
    }
    try await show("expired", for: "0s")
    try await folder.shell("\(curl) --cacert tls/certificate.pem \(address)/up")
  }

  @Test func `a server of plain HTTP has no certificate to show`() async throws {
    let server = try ServerProcess(environment: ["EPHEMERAL": "on"], in: folder)
    let response = try await server.response(toFault: "expired")
    #expect(response.status == 400 && response.text.contains("Start it with TLS_CERTIFICATE and TLS_KEY."))
  }

  @Test func `the owner learns when the certificate in use ends`() throws {
    let certificate = try CertificateReload(files, host: nil, logger: LogRecorder().logger)
    let days = (try #require(certificate.status.end) - unixMilliseconds() / 1000) / 86_400
    #expect((298...300).contains(days))
  }

  @Test func `a new certificate is used at once after SIGHUP, and a bad one is not`() async throws {
    let server = try start()
    let old = try await certificate(of: server)
    let new = try TestCertificate()
    try new.write(to: folder, "tls")
    server.signal(SIGHUP)
    try await server.logged("the certificate was reloaded")
    #expect(old != new.der)
    #expect(try await certificate(of: server) == new.der)

    try folder.write(TestCertificate().key, to: "tls/key.pem")
    server.signal(SIGHUP)
    let line = try await server.logged("so the old one stays")
    #expect(line.contains("TLS_KEY is tls/key.pem, which is not the key of the certificate"), "\(line)")
    #expect(try await certificate(of: server) == new.der)

    // A pipe holds up neither a reload nor the server's end.
    try folder.remove("tls/certificate.pem")
    try #require(mkfifo("\(folder.path)/tls/certificate.pem", 0o600) == 0)
    server.signal(SIGHUP)
    try await server.logged("TLS_CERTIFICATE is tls/certificate.pem, which cannot be read: Not a plain file.")
    #expect(try await certificate(of: server) == new.der)
  }

  /// `TLSTests` has that open connections go on.
  @Test func `a symbolic link to another pair is noticed within seconds, and an open key is told`() async throws {
    try folder.move("tls", to: "live-1")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/tls", withDestinationPath: "\(folder.path)/live-1")
    chmod("\(folder.path)/live-1/key.pem", 0o644)
    let server = try start()
    try await server.logged("can read the key of the certificate: chmod o= tls/key.pem")
    let (other, new) = (try TemporaryFolder(), try TestCertificate())
    try new.write(to: other, "tls")
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/next", withDestinationPath: "\(other.path)/tls")
    #expect(rename("\(folder.path)/next", "\(folder.path)/tls") == 0)
    try await server.logged("the certificate was reloaded")
    #expect(try await certificate(of: server) == new.der)
  }

  @Test func `a key that is too small is named with the setting`() async throws {
    try TestCertificate(key: ["rsa:1024"]).write(to: folder, "tls")
    try await folder.run(
      "serve", environment: TestCertificate.environment, status: 1, saying: "TLS_CERTIFICATE", "ee key too small")
  }

  @Test func `the wrong order of a chain is named with the setting`() async throws {
    let (own, other) = (try TestCertificate(), try TestCertificate())
    try own.write(to: folder, "tls")
    try folder.write(other.certificate + own.certificate, to: "tls/certificate.pem")
    try await folder.run(
      "serve", environment: TestCertificate.environment, status: 1, saying: "The server's own must be the first.")
  }

  @Test func `a public authority's certificate without its chain is pointed out`() throws {
    let issuer = ["-addext", "authorityInfoAccess=caIssuers;URI:http://ca.example/ca.der"]
    try TestCertificate(more: issuer).write(to: folder, "tls")
    let warnings = files.warnings(about: try files.certifiedKey(files.contents()), now: unixMilliseconds() / 1000)
    #expect(warnings.count == 1 && warnings[0].contains("use fullchain.pem, not cert.pem"), "\(warnings)")
  }

  @Test func `a certificate for another host than that of PUBLIC_URL is pointed out`() throws {
    try TestCertificate(for: ["localhost", "127.0.0.1", "*.selfies.example"]).write(to: folder, "tls")
    let certifiedKey = try files.certifiedKey(files.contents())
    for (host, isCovered) in [
      ("localhost", true), ("127.0.0.1", true), ("a.selfies.example", true), ("selfies.example", false), ("::1", false),
    ] {
      let warnings = files.warnings(about: certifiedKey, for: host, now: unixMilliseconds() / 1000)
      #expect(warnings.isEmpty == isCovered, "\(warnings)")
      #expect(warnings.allSatisfy { $0.contains("it is not for \(host), the host of PUBLIC_URL") })
    }
  }

  @Test func `the owner's link has a name of the certificate, and a certificate that cannot be used is an alarm`()
    async throws
  {
    let own = try TestCertificate(for: ["*.example", "selfie.local"])
    try own.write(to: folder, "tls")
    let server = try start(["PUBLIC_URL": "https://selfies.example:8443"])
    try await server.logged("it is not for selfies.example, the host of PUBLIC_URL")
    func status() async throws -> [String] {
      try await folder.run("status --json", status: 1).value(StatusView.self).attention.map(\.message)
    }
    #expect(try await !status().contains { $0.hasPrefix("The certificate's files") })
    try folder.write(TestCertificate(for: ["selfie.local"]).certificate, to: "tls/certificate.pem")
    try await server.logged("the certificate cannot be reloaded, so the old one stays")
    #expect(try await status().contains { $0.contains("files have changed") && $0.contains("TLS_KEY is") })
    try own.write(to: folder, "tls")
    try await server.logged("the certificate was reloaded")
    #expect(try await !status().contains { $0.hasPrefix("The certificate's files") })
    await server.stop()

    let unnamed = try await start().listening()
    let link = try #require(try await folder.run("owner").output.first)
    #expect(link.hasPrefix("https://selfie.local:\(try await unnamed.port())/owner#"), "\(link)")
    await unnamed.stop()
  }

  @Test func `a certificate that is not valid, or not for much longer, is pointed out`() throws {
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
}

extension TestCertificate {
  static let environment = ["TLS_CERTIFICATE": "tls/certificate.pem", "TLS_KEY": "tls/key.pem"]
}
