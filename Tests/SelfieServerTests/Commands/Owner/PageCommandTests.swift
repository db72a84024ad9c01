import TestSupport
import Testing

/// `selfie-server owner`, and the page that it opens.
@Suite(.timeLimit(.minutes(10))) struct PageCommandTests {
  @Test func `prints a link that opens the page, and ends its sessions`() async throws {
    let server = try ServerProcess(environment: ["LOG_LEVEL": "trace"])
    let (folder, port) = (server.folder, try await server.port())
    var cookie = ""
    func send(_ method: String, _ path: String, body: String = "") async throws -> RawResponse {
      try await server.response(
        to: "\(method) \(path)",
        [
          "Host: localhost:\(port)", "Origin: http://localhost:\(port)", "X-Owner-Page: 1", "Cookie: \(cookie)",
        ], body: body)
    }
    #expect(try await send("GET", "/owner").status == 404)
    let printed = try await folder.run("owner")
    let link = try #require(printed.output.first)
    #expect(printed.output.count == 1 && link.hasPrefix("http://localhost:\(port)/owner#"))
    #expect(try await send("GET", "/owner").status == 200)
    let elsewhere = try await folder.run("owner --public-url https://selfies.example")
    #expect(elsewhere.output.first?.hasPrefix("https://selfies.example/owner#") == true, "\(elsewhere)")
    let secret = try #require(link.split(separator: "#").last)
    let opened = try await send("POST", "/owner/session", body: #"{"link":"\#(secret)"}"#)
    cookie = String(try #require(opened["set-cookie"]?.split(separator: ";").first))

    // A refusal of the server's own, by the id that the client got.
    let refused = try await server.response(
      to: "POST /api/signup", ["Host: localhost", "Transfer-Encoding: gzip, chunked"])
    #expect(refused.status == 501)
    let id = try #require(refused["x-request-id"])
    let why = try await send("POST", "/owner/commands", body: #"{"why":{}}"#)
    #expect(why.text.contains(#""request_id":"\#(id)""#) && why.text.contains(#""status":501"#), "\(why)")

    let ended = try await folder.run("owner --end")
    #expect(ended.output == ["1 session ended, and the page is closed."])
    #expect(try await send("GET", "/owner").status == 404)
    await server.stop()
    try await folder.run(
      "owner", status: 1, saying: "Only a running server has the owner's page. Start the server first.")
  }
}
