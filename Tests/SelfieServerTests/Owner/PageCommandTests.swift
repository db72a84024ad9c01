import Foundation
import TestSupport
import Testing

/// `selfie-server owner`, and the page that it opens.
@Suite(.timeLimit(.minutes(10))) struct PageCommandTests {
  private let folder: TemporaryFolder
  private let server: ServerProcess
  private let port: Int

  private static let apiPassword = "aPasswordThatNobodyGuesses7"

  init() async throws {
    folder = try TemporaryFolder()
    server = try ServerProcess(
      environment: [
        "TOKEN_LIFETIME": "3600", "LOG_LEVEL": "trace", "API_AUTH_NAME": "name", "API_AUTH_PASSWORD": Self.apiPassword,
      ], in: folder)
    port = try await server.port()
  }

  private func send(
    _ method: String, _ path: String, cookie: String = "", body: String = ""
  ) async throws -> RawResponse {
    try await OwnerPageClient(port: port).send(method, path, cookie: cookie, body: body)
  }

  @Test func `prints a link that opens the page once, and ends its sessions`() async throws {
    #expect(try await send("GET", "/owner").status == 404)
    let printed = try await ServerProcess.run(["owner"], in: folder)
    #expect(printed.status == 0 && printed.output.count == 1, "\(printed)")
    let parts = try #require(printed.output.first).split(separator: "#")
    #expect(parts.first == "http://localhost:\(port)/owner")
    let link = String(try #require(parts.last))
    #expect(try await send("GET", "/owner").status == 200)
    let elsewhere = try await ServerProcess.run(["owner", "--public-url", "https://selfies.example"], in: folder)
    #expect(elsewhere.output.first?.hasPrefix("https://selfies.example/owner#") == true, "\(elsewhere)")

    let opened = try await send("POST", "/owner/session", body: #"{"link":"\#(link)"}"#)
    let cookie = String(try #require(opened["set-cookie"]?.split(separator: ";").first))
    #expect(try await send("POST", "/owner/session", body: #"{"link":"\#(link)"}"#).status == 401)
    #expect(try await send("GET", "/owner/api/users", cookie: cookie).status == 200)

    // The settings in force and their sources, without secrets.
    let settings = try await send("GET", "/owner/api/settings", cookie: cookie).text
    #expect(settings.contains(#"{"name":"TOKEN_LIFETIME","value":"3600","source":"the environment"}"#), "\(settings)")
    #expect(settings.contains(#"{"name":"MAX_PHOTOS","value":"10000","source":null}"#))
    #expect(!settings.contains(Self.apiPassword))

    // A refusal of the server's own, by the id that the client got.
    let raw = try await RawClient.connect(to: port)
    try await raw.send("POST /api/signup HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
    let refused = try await raw.response()
    #expect(refused.status == 501)
    let id = try #require(refused["x-request-id"])
    let activity = try await send("GET", "/owner/api/activity", cookie: cookie).text
    #expect(
      activity.contains(#""path":"/api/signup","status":501,"request_id":"\#(id)""#)
        || activity.contains(#""status":501,"request_id":"\#(id)""#), "\(activity)")

    // Doctor is a process of its own that needs none of the server's settings.
    #expect(try await send("POST", "/owner/api/doctor", cookie: cookie).status == 200)
    var checked = ""
    try await waitUntil {
      checked = try await send("GET", "/owner/api/doctor", cookie: cookie).text
      return checked.hasPrefix(#"{"running":false,"#)
    }
    #expect(checked.hasSuffix(#""photos":0,"finding_count":0,"findings":[],"failures":[]}}"#), "\(checked)")

    let ended = try await ServerProcess.run(["owner", "--end"], in: folder)
    #expect(ended.output == ["1 session ended, and the page is closed."])
    #expect(try await send("GET", "/owner", cookie: cookie).status == 404)
    await server.stop()
    let log = await server.errors.all().joined(separator: "\n")
    #expect(log.contains("owner's command: owner"))
    #expect(log.contains("owner's command: doctor --quick"))
    #expect(log.contains("refused a link to the owner's page"))
    let secret = try #require(cookie.split(separator: "=").last)
    #expect(!log.contains(link) && !log.contains(secret))

    let stopped = try await ServerProcess.run(["owner"], in: folder)
    #expect(stopped.status == 1)
    #expect(stopped.message.contains("The page is one of a running server. Start the server first."), "\(stopped)")
  }
}
