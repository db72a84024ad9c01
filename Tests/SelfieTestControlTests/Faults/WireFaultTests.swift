import Foundation
import FoundationNetworking
import HTTPServer
import SelfieTestControl
import TestSupport
import Testing

/// What a client of the kind that apps use sees of faults.
@Suite(.timeLimit(.minutes(10))) struct WireFaultTests {
  /// Runs the worlds of a fixture on a free port.
  private func serve(_ body: (Client) async throws -> Void) async throws {
    let fixture = try Fixture()
    let listener = try Listener(host: "127.0.0.1", port: 0)
    let server = try Server(
      listener: listener, loopCount: 1,
      responder: Responder(respond: fixture.worlds.respond, refuse: fixture.worlds.main.application.refuse))
    try await Blocking.run { try server.start() }
    do {
      try await body(Client(port: listener.port, worlds: fixture.worlds))
    } catch {
      try await Blocking.run { server.stop() }
      throw error
    }
    try await Blocking.run { server.stop() }
  }

  private struct Client {
    let port: Int
    let worlds: Worlds
    var faults: FaultRules { worlds.main.faults }

    /// Each on a connection of its own: on one used before, a lost request would be sent again.
    func send(_ method: String, _ path: String, _ members: [String: String] = [:]) async throws -> (
      status: Int, body: Data
    ) {
      var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(port)\(path)")))
      request.httpMethod = method
      request.setValue(Fixture.basic, forHTTPHeaderField: "Authorization")
      request.timeoutInterval = 300
      if !members.isEmpty {
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONEncoder().encode(members)
      }
      let session = URLSession(configuration: .ephemeral)
      defer { session.finishTasksAndInvalidate() }
      let (body, response) = try await session.data(for: request)
      return (try #require(response as? HTTPURLResponse).statusCode, body)
    }

    func signUp() async throws -> Int {
      try await send(
        "POST", "/api/signup",
        ["full_name": "Ada", "email": "a@example.com", "password": Fixture.encrypted("secret12")]
      ).status
    }
  }

  @Test(arguments: [(FaultRule.drop(), 200), (.drop(.beforeAnswer), 400), (.drop(.inBody), 400)])
  func `a lost connection, with or without effect`(rule: FaultRule, statusOfNext: Int) async throws {
    try await serve { client in
      try client.faults.add(rule.on("POST", "/api/signup").times(1))
      await #expect(throws: URLError.self) { _ = try await client.signUp() }
      #expect(try await client.signUp() == statusOfNext)
    }
  }

  @Test func `a response that drips arrives whole`() async throws {
    try await serve { client in
      let whole = try await client.send("GET", "/")
      try client.faults.add(.drip(bytes: max(1, whole.body.count / 5), every: .milliseconds(20)).on("/"))
      let start = ContinuousClock.now
      #expect(try await client.send("GET", "/") == whole)
      #expect(ContinuousClock.now - start >= .milliseconds(80))
    }
  }

  @Test(arguments: [
    FaultRule.truncate(after: 5), .truncate(share: 0.9), .truncate(after: 0), .malform(.statusLine),
    .malform(.fieldLine),
    .malform(.lengthText), .malform(.chunk),
  ])
  func `malformed responses that every client refuses`(rule: FaultRule) async throws {
    try await serve { client in
      try client.faults.add(rule.on("/"))
      await #expect(throws: URLError.self) { _ = try await client.send("GET", "/") }
      client.faults.removeAll()
      #expect(try await client.send("GET", "/").status == 200)
    }
  }

  @Test(arguments: [FaultRule.truncate(after: 1_000_000), .truncate(share: 1)])
  func `a response that is cut off after its end is whole, and so is the connection`(rule: FaultRule) async throws {
    try await serve { client in
      try client.faults.add(rule)
      let connection = try await RawClient.connect(to: client.port)
      for _ in 0..<600 {
        try await connection.send("GET /api/unknown HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(try await connection.response().status == 404)
      }
      #expect(client.faults.all.first?.fired == 600)
    }
  }

  @Test(arguments: [FaultRule.Malformation.body, .contentLength])
  func `JSON without its end`(malformation: FaultRule.Malformation) async throws {
    try await serve { client in
      let whole = try await client.send("GET", "/api/unknown")
      try client.faults.add(.malform(malformation))
      let broken = try await client.send("GET", "/api/unknown")
      #expect(broken.status == whole.status && broken.body == whole.body.dropLast())
      #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: broken.body) }
    }
  }
}
