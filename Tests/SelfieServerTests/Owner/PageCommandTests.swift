import Foundation
import TestSupport
import Testing

/// `selfie-server owner`, and the page that it opens.
@Suite(.timeLimit(.minutes(10))) struct PageCommandTests {
  private let folder: TemporaryFolder
  private let server: ServerProcess
  private let port: Int

  init() async throws {
    folder = try TemporaryFolder()
    server = try ServerProcess(environment: ["LOG_LEVEL": "trace"], in: folder)
    port = try await server.port()
  }

  @Test func `prints a link that opens the page, and ends its sessions`() async throws {
    var page = OwnerPageClient(port: port)
    #expect(try await page.send("GET", "/owner").status == 404)
    let printed = try await ServerProcess.run(["owner"], in: folder)
    #expect(printed.status == 0 && printed.output.count == 1, "\(printed)")
    let link = try #require(printed.output.first)
    #expect(link.hasPrefix("http://localhost:\(port)/owner#"))
    #expect(try await page.send("GET", "/owner").status == 200)
    let elsewhere = try await ServerProcess.run(["owner", "--public-url", "https://selfies.example"], in: folder)
    #expect(elsewhere.output.first?.hasPrefix("https://selfies.example/owner#") == true, "\(elsewhere)")
    try await page.open(link)

    // A refusal of the server's own, by the id that the client got.
    let raw = try await RawClient.connect(to: port)
    try await raw.send("POST /api/signup HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n")
    let refused = try await raw.response()
    #expect(refused.status == 501)
    let id = try #require(refused["x-request-id"])
    let activity = try await page.send("POST", "/owner/commands", body: #"{"activity":{}}"#)
    #expect(activity.text.contains(#""status":501,"requestID":"\#(id)""#), "\(activity)")

    let ended = try await ServerProcess.run(["owner", "--end"], in: folder)
    #expect(ended.output == ["1 session ended, and the page is closed."])
    #expect(try await page.send("GET", "/owner").status == 404)
    await server.stop()
    let stopped = try await ServerProcess.run(["owner"], in: folder)
    #expect(stopped.status == 1)
    #expect(stopped.message.contains("The page is one of a running server. Start the server first."), "\(stopped)")
  }
}
