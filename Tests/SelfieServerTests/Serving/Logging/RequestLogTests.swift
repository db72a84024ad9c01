import Foundation
import TestSupport
import Testing

/// The line that the log has for each request.
@Suite(.timeLimit(.minutes(10))) struct RequestLogTests {
  /// The lines of a server's requests, which are JSON.
  private func requests(during test: (ServerProcess, TutorialApp) async throws -> Void) async throws -> [[String: Any]]
  {
    let server = try ServerProcess(environment: ["LOG_FORMAT": "json"])
    try await test(server, try await server.appOfNewUser())
    await server.stop()
    return try await server.errors.all().map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any], "\($0)")
    }.filter { $0["message"] as? String == "request" }
  }

  @Test func `fields are fields, and what a client sends is no part of them`() async throws {
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    let id = String(repeating: "Ab3", count: 6).prefix(16)
    let all = try await requests { server, app in
      let token = try #require(app.token)
      for (request, field) in [
        ("GET /api/get_photos?secret", "Authorization: Token token=\(token)"),
        ("GET /photos/\(id)", "Traceparent: 00-\(trace)-00f067aa0ba902b7-01"),
        ("BREW /\(token)\"\u{1b}", "X: y"), ("GET /up", "X-Request-Id: a\"bc_d-e"),
      ] {
        _ = try await server.response(to: request, ["Host: a", field])
      }
    }
    #expect(all.count == 6)
    // Each has a connection of its own, so their order is not known.
    func line(_ route: String) throws -> [String: Any] { try #require(all.last { $0["route"] as? String == route }) }
    let (list, photo, unknown, up) =
      (try line("/api/get_photos"), try line("/photos/:id"), try line("unknown"), try line("/up"))
    #expect(list["method"] as? String == "GET")
    #expect(list["status"] as? Int == 200 && list["user_id"] as? Int == 1)
    let bytes = try #require(list["bytes"] as? Int)
    #expect(bytes > 300 && (list["bytes_received"] as? Int).map { $0 > 80 && $0 < 200 } == true)
    #expect((list["duration"] as? Double).map { $0 > 0 && $0 < 60 } == true)
    #expect(list["level"] as? String == "info" && list["peer"] as? String == "127.0.0.1")
    #expect((list["request_id"] as? String)?.count == 32 && list["trace_id"] == nil)
    #expect(photo["trace_id"] as? String == trace && photo["user_id"] == nil)
    #expect(unknown["method"] == nil || unknown["method"] as? String == "OTHER")
    #expect((unknown["status"] as? Int).map { $0 >= 400 } == true && up["request_id"] as? String == "abc_d-e")
    let names: Set = [
      "time", "level", "message", "method", "route", "status", "bytes", "bytes_received", "duration", "user_id",
      "request_id", "trace_id", "peer", "client", "error_detail",
    ]
    for line in all { #expect(names.isSuperset(of: line.keys)) }
    #expect(!all.contains { "\($0)".contains(id) || "\($0)".contains("secret") })
  }

  @Test func `a client's long id is cut, and marked as cut`() async throws {
    let ids = [64, 65, 255].map { String(repeating: "a", count: $0) }
    let all = try await requests { server, _ in
      for id in ids {
        let response = try await server.response(to: "GET /up", ["Host: a", "X-Request-Id: \(id)"])
        #expect(response["x-request-id"] == id)
      }
    }
    let logged = all.filter { $0["route"] as? String == "/up" }.compactMap { $0["request_id"] as? String }
    #expect(Set(logged) == [ids[0], "\(ids[0])…"])
  }

  @Test(arguments: [["LOG_REQUESTS": "off"], ["LOG_LEVEL": "notice"]])
  func `without it the log still has the events`(environment: [String: String]) async throws {
    let server = try ServerProcess(environment: environment)
    _ = try await server.appOfNewUser()
    await server.stop()
    let log = await server.errors.all()
    #expect(log.contains { $0.contains("event=new_account") && $0.hasSuffix("user_id=1") })
    #expect(!log.contains { $0.contains("info request") })
  }

  @Test(arguments: ["text", "json"])
  func `no secret stands in the log, not even at its finest`(_ format: String) async throws {
    let server = try ServerProcess(environment: ["LOG_LEVEL": "trace", "LOG_FORMAT": format])
    let app = try await server.appOfNewUser()
    let first = try #require(app.token)
    let selfie = try await app.postBtnTapped(image: PNG.random(243), title: "a title to hide")
    _ = try await app.download(selfie.url)
    for tail in ["x", "/x", "/", ".png"] { _ = try await app.download(selfie.url + tail) }
    _ = try? await app.makeSignInRequest(password: "a wrong one")
    _ = try? await app.makeSignUpRequest(name: "\"", email: "quote@example.com")
    try await app.resetPassword(to: "secret34")
    let second = try #require(app.token)
    _ = try await app.loadSelfieData()
    try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
    await server.stop()

    let log = await server.errors.all()
    #expect(log.contains { $0.contains("/api/reset_password") && $0.contains("200") })
    let passwords = ["secret12", "secret34", "a wrong one"]
    let secrets =
      passwords + passwords.map(app.requests.encrypt) + [
        app.requests.password, AppRequest.basic(app.requests.name, app.requests.password), first, second, selfie.id,
        selfie.title, "$2b$", "jane@example.com",
      ]
    for secret in secrets { #expect(!log.contains { $0.contains(secret) }, "\(secret)") }
  }
}
