import Foundation
import Glibc
import Platform
import TestSupport
import Testing

/// Serves the challenges of ACME. `TLSServeTests` replaces certificates.
@Suite(.timeLimit(.minutes(5))) struct ACMETests {
  private let folder: TemporaryFolder
  private let host = LoopbackAddress.unused()
  private static let token = "evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr_oA"

  init() throws {
    folder = try TemporaryFolder()
    try folder.makeFolder("web/.well-known/acme-challenge")
  }

  @Test func `only the files of challenges can be read`() async throws {
    let challenges = "web/.well-known/acme-challenge"
    try folder.write("secret", to: "web/secret")
    try folder.write("\(Self.token).thumbprint", to: "\(challenges)/\(Self.token)")
    try folder.write(String(repeating: "x", count: 1025), to: "\(challenges)/large")
    try folder.makeFolder("\(challenges)/folder")
    #expect(mkfifo("\(folder.path)/\(challenges)/pipe", 0o600) == 0)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/\(challenges)/link", withDestinationPath: "\(folder.path)/web/secret")
    let server = try ServerProcess(environment: ["HOST": host, "ACME_WEBROOT": "web"], in: folder)
    func status(_ request: String) async throws -> Int {
      try await server.response(to: request, host: host).status
    }
    let prefix = "/.well-known/acme-challenge/"
    let found = try await server.response(to: "GET \(prefix)\(Self.token)", host: host)
    #expect(found.status == 200 && found.text == "\(Self.token).thumbprint")
    #expect(try await status("HEAD \(prefix)\(Self.token)") == 200)
    for name in [
      "", ".", "..", "../../secret", "%2e%2e", "..%2f..%2fsecret", "link", "large", "folder", "pipe", "missing",
      "\(Self.token)/", "\(Self.token)?x", "\(Self.token)%00", String(repeating: "a", count: 129),
    ] {
      #expect(try await status("GET \(prefix)\(name)") == 404, "\(name)")
    }
    #expect(try await status("POST \(prefix)\(Self.token)") == 404)
    #expect(try await status("GET /up") == 200)
    try folder.remove(challenges)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/\(challenges)", withDestinationPath: "\(folder.path)/web")
    #expect(try await status("GET \(prefix)secret") == 404)
  }

  @Test func `next to HTTPS, a plain port has the challenges and leads browsers to HTTPS`() async throws {
    try TestCertificate().write(to: folder, "tls")
    try folder.write("text", to: "web/.well-known/acme-challenge/token")
    let plain = 8080
    let server = try ServerProcess(
      environment: TestCertificate.environment.merging(
        ["HOST": host, "ACME_WEBROOT": "web", "ACME_PORT": "\(plain)"]) { $1 }, in: folder)
    let port = try await server.port()
    func response(_ request: String) async throws -> RawResponse {
      try await server.response(to: request, ["Host: selfies.example:81"], at: plain, host: host)
    }
    #expect(try await response("GET /.well-known/acme-challenge/token").text == "text")
    let redirect = try await response("GET /photos/a?b")
    #expect(redirect.status == 301 && redirect["location"] == "https://selfies.example:\(port)/photos/a?b")
    #expect(try await response("POST /api/signin").status == 403)
  }
}
