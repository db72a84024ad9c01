import Foundation
import Platform
import SelfieServerTesting
import Testing

/// The requests to a server.
@Suite(.timeLimit(.minutes(10))) struct RequestsTests {
  /// Runs a mistake of a test, and returns the lines at which it is reported, with what is said there.
  private func reports(of mistake: () async throws -> Void) async throws -> [(line: Int?, text: String)] {
    let reports = Monitor<[(line: Int?, text: String)]>([])
    try await withKnownIssue {
      try await mistake()
    } matching: { issue in
      reports.withLock { $0.append((issue.sourceLocation?.line, "\(issue)")) }
      return issue.sourceLocation?.fileID == #fileID
    }
    return reports.withLock(\.self)
  }

  @Test func `a mistake is reported once, at the line that verifies, and ends the test`() async throws {
    try await SelfieServer.run { server in
      _ = try await App(server).signUp("jo@example.com")
      let requests = server.requests
      try await requests.verify(
        .post("/api/signup", status: 200).with(parameter: "email", "jo@example.com"), exactly: 1)
      try await requests.verify(.post("/api/signup"), atLeast: 1)
      try await requests.verify(.post("/api/signin"), atMost: 0)
      let checks: [(line: Int, check: () async throws -> Void)] = [
        (#line, { try await requests.verify(.post("/api/signup"), exactly: 2) }),
        (#line, { try await requests.verify(.post("/api/signup"), atLeast: 2) }),
        (#line, { try await requests.verify(.post("/api/signup"), atMost: 0) }),
        (#line, { try await requests.wait(for: .post("/api/signup"), count: 2, timeout: .milliseconds(1)) }),
      ]
      for (line, check) in checks {
        var hasGoneOn = false
        let reports = try await reports {
          try await check()
          hasGoneOn = true
        }
        #expect(reports.map(\.line) == [line])
        let text = reports.first?.text ?? ""
        #expect(text.contains("POST /api/signup") && text.contains("but there was 1."), "\(reports)")
        #expect(!hasGoneOn)
      }
    }
  }

  @Test func `have their responses, without the secrets in them`() async throws {
    try await SelfieServer.run { server in
      let app = App(server)
      _ = try await app.signUp("jo@example.com")
      let token = try #require(try await app.signIn("jo@example.com")["api_authtoken"])
      let exchange = try #require(try await server.requests.exchanges(matching: .post("/api/signin")).first)
      let response = try #require(exchange.response)
      #expect(response.fields.contains { $0.name == "Content-Type" && $0.value.hasPrefix("application/json") })
      let text = try #require(response.text)
      #expect(text.contains(#""email":"jo@example.com""#) && !text.contains(token), "\(text)")
      #expect(try await server.requests.exchange(exchange.id) == exchange)
      #expect(try await server.requests.lastID == exchange.id)
      #expect(try await server.requests.count(matching: .any.with(parameter: "email", "jo@example.com")) == 2)
      try await server.requests.clear()
      #expect(try await server.requests.exchanges().isEmpty)
    }
  }

  @Test func `a mistake in a detached task is reported when its test ends, though nobody looks at the error`()
    async throws
  {
    var line = 0
    let reports = try await reports {
      try await SelfieServer.run { server in
        let requests = server.world("a").requests
        line = #line + 1
        let mistake = Task.detached { try await requests.verify(.post("/api/signin"), atLeast: 1) }
        _ = await mistake.result
      }
    }
    #expect(reports.map(\.line) == [line])
    #expect(reports.first?.text.contains("Expected at least 1 POST /api/signin, but there was none.") == true)
  }

  @Test func `a mistake in a detached task is reported when a server that was started stops`() async throws {
    var line = 0
    let reports = try await reports {
      let server = try await SelfieServer.start()
      let requests = server.requests
      line = #line + 1
      let mistake = Task.detached { try await requests.verify(.post("/api/signin"), atLeast: 1) }
      _ = await mistake.result
      await server.stop()
    }
    #expect(reports.map(\.line) == [line])
  }

  @Test func `an order is checked, and a mistake in it is reported at its line`() async throws {
    try await SelfieServer.run { server in
      let app = App(server)
      _ = try await app.signUp("jo@example.com")
      _ = try await app.signIn("jo@example.com")
      try await server.requests.verify(order: [.post("/api/signup"), .post("/api/signin", status: 200)])
      var line = 0
      let reports = try await reports {
        line = #line + 1
        try await server.requests.verify(order: [.post("/api/signin"), .post("/api/signup")])
      }
      #expect(reports.map(\.line) == [line])
      let text = reports.first?.text ?? ""
      #expect(text.contains("but there was no POST /api/signup after #2 POST /api/signin -> 200."), "\(text)")
      #expect(text.contains("#1 POST /api/signup -> 200: it came before #2"), "\(text)")
    }
  }

  @Test func `a mismatch can be looked at, and fails no test`() async throws {
    try await SelfieServer.run { server in
      let missing = try await server.requests.mismatch(.post("/api/signin"), atLeast: 1)
      #expect(missing?.matched == 0)
      let none = try await server.requests.mismatch(.post("/api/signin"), exactly: 0)
      #expect(none == nil)
      let error = await #expect(throws: ControlError.self) { try await server.requests.mismatch(.any) }
      #expect(error?.message == "Say how many there must be: pass one of exactly, atLeast and atMost, not none.")
    }
  }

  @Test func `the result of run may be dropped`() async throws {
    try await SelfieServer.run { try await $0.requests.count() }
  }

  @Test func `can be waited for`() async throws {
    try await SelfieServer.run { server in
      async let signedUp = App(server).signUp("jo@example.com").status
      let exchanges = try await server.requests.wait(for: .post("/api/signup"), timeout: .seconds(3600))
      #expect(exchanges.map(\.status) == [200])
      #expect(try await signedUp == 200)
    }
  }
}
