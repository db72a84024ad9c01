import Foundation
import TestSupport
import Testing

/// `selfie-server why`, and what it knows of a server's refusals.
@Suite(.timeLimit(.minutes(10))) struct WhyCommandTests {
  /// What goes wrong before there is a request, and in requests.
  private static let refused = [
    (text: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}", detail: "begins like HTTPS"),
    ("GET /up HTTP/1.1\r\n\r\n", "The request has no Host field."),
    ("GET /up now HTTP/1.1\r\nHost: a\r\n\r\n", "which has no other spaces"),
    ("GET /up HTTP/1.1\r\nHost: a\r\n“Authorization: Basic x\r\n\r\n", "has a curly quotation mark"),
    ("GET /up HTTP/1.1\r\nHost: a\r\nAuthorization: Basic x\r\n y\r\n\r\n", "is folded over two lines"),
    ("POST /api/signup HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", "The only transfer coding"),
    (
      "OPTIONS /api/signin HTTP/1.1\r\nHost: a\r\nOrigin: http://b.example\r\nAccess-Control-Request-Method: POST\r\n\r\n",
      "CORS_ORIGINS does not allow http://b.example"
    ), ("GET /api/photos HTTP/1.1\r\nHost: a\r\n\r\n", "there is GET /api/get_photos"),
    (
      "POST /api/signin HTTP/1.1\r\nHost: a\r\nAuthorization: Token token=secret\r\nUser-Agent: railsauth/1 x\r\n"
        + "Content-Length: 0\r\n\r\n", "Authorization is Token; POST /api/signin needs Basic"
    ),
  ]

  @Test(arguments: [[:], ["LOG_REQUESTS": "off"]])
  func `every kind of refusal is there, with its reason, whatever is logged`(environment: [String: String]) async throws
  {
    let server = try await ServerProcess(environment: environment).listening()
    try await server.folder.run("why", saying: "Nothing was refused since the server has started.")
    for _ in 0..<2 {
      for (text, _) in Self.refused {
        let client = try await RawClient.connect(to: try await server.port())
        _ = try await client.response(to: text)
        client.close()
      }
    }
    _ = try await server.appOfNewUser()
    let refusals = try await server.folder.run("why --json").json()
    #expect(refusals.count == Self.refused.count, "\(refusals)")
    for (refusal, (text, detail)) in zip(refusals, Self.refused.reversed()) {
      #expect((refusal["detail"] as? String)?.contains(detail) == true, "\(text): \(refusal)")
      #expect(refusal["count"] as? Int == 2 && refusal["client"] as? String == "127.0.0.1")
      #expect((refusal["request_id"] as? String)?.count == 32)
    }
    #expect(refusals.prefix(4).map { $0["route"] as? String } == ["/api/signin", nil, "preflight", "/api/signup"])
    #expect(refusals[0]["app"] as? String == "railsauth/1" && refusals[0]["method"] as? String == "POST")
    #expect(!"\(refusals)".contains("secret"))
    let lines = try await server.folder.run("why").output
    #expect(lines.count == 2 * refusals.count && lines.last?.hasPrefix("    Authorization is Token;") == true)
    #expect(
      lines[lines.count - 2].hasSuffix(" UTC  401  POST /api/signin  127.0.0.1  railsauth/1  2 times"), "\(lines)")
    await server.stop()
    try await server.folder.run(
      "why", status: 1, saying: "Only a running server knows what it has refused. Start the server first.")
  }

  @Test func `it follows what comes, and ends when nobody reads it`() async throws {
    let server = try await ServerProcess().listening()
    #expect(try await server.response(to: "GET /first").status == 404)
    let following = try ServerProcess(["why", "--follow"], in: server.folder)
    #expect(await following.output.first { $0.contains("no GET /first") } != nil)
    #expect(try await server.response(to: "GET /second").status == 404)
    #expect(await following.output.first { $0.contains("no GET /second") } != nil)
    #expect(try await server.response(to: "GET /first").status == 404)
    #expect(await following.output.first { $0.hasSuffix("  2 times") } != nil)
    await server.stop()
    _ = await following.outcome(1, saying: ["Start the server first."])
    _ = try await ServerProcess(in: server.folder).listening()
    // A shell whose pipe has lost its reader.
    let piped = try ServerProcess(
      [], in: server.folder, shell: #"("$0" why --follow --home .; echo ended >&2) | true; exit"#)
    #expect(await piped.errors.first { $0 == "ended" } != nil)
    _ = await piped.outcome()
  }
}
