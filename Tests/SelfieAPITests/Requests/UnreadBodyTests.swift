import APITestSupport
import HTTPMessages
import Platform
import Testing

@testable import SelfieAPI

/// Bodies are read for those who have credentials, at addresses that take a body.
@Suite struct UnreadBodyTests {
  private static let types = [
    "application/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain",
  ]

  private static func response(
    _ method: String, _ path: String, _ type: String, as caller: APIFixture.Caller = .nobody, _ api: APIFixture
  ) async -> Response {
    let head = Request(method, path, fields: caller.fields + [("Content-Type", type)]).head
    let body = RequestBody(length: 1000, source: UnreadBody())
    return await api.application.respond(Request(head: head, body: body, peer: "127.0.0.1"))
  }

  /// With the status of a response to a form, which may ask for another method, and to a body of another type.
  @Test(
    arguments: [
      ("POST", "/api/signup", 401, 401), ("POST", "/api/signin", 401, 401), ("POST", "/api/reset_password", 401, 401),
      ("POST", "/api/upload_photo", 401, 401), ("GET", "/api/get_token", 401, 401),
      ("GET", "/api/get_photos", 401, 401),
      ("DELETE", "/api/delete_photo", 401, 401), ("GET", "/api/clear_token", 401, 401),
      ("POST", "/api/get_token", 401, 404), ("POST", "/api/get_photos", 401, 404),
      ("POST", "/api/delete_photo", 401, 404), ("POST", "/api/clear_token", 401, 404), ("GET", "/notes.json", 401, 401),
      ("POST", "/notes.json", 401, 401), ("PUT", "/notes/1.json", 401, 401), ("DELETE", "/notes/1.json", 401, 401),
      ("POST", "/notes/1.json", 401, 404), ("POST", "/blogposts", 403, 403), ("GET", "/users", 403, 403),
      ("POST", "/users/logout", 200, 200),
    ], types)
  func `a stranger's body is not read`(
    _ endpoint: (method: String, path: String, ofForm: Int, ofOthers: Int), _ type: String
  ) async throws {
    let api = try APIFixture()
    for caller in [APIFixture.Caller.nobody, .holder(of: "unknown")] {
      let response = await Self.response(endpoint.method, endpoint.path, type, as: caller, api)
      #expect(response.status.code == (type.contains("form") ? endpoint.ofForm : endpoint.ofOthers))
      #expect(response.status != .unauthorized || response.fields["WWW-Authenticate"] != nil)
    }
  }

  @Test(arguments: ["/", "/up", "/readyz", "/home/index", "/photos/x", "/nowhere", "/api/nothing"], types)
  func `no body is read at addresses that take none`(_ path: String, _ type: String) async throws {
    let api = try APIFixture()
    for method in ["GET", "POST", "PUT", "DELETE", "PATCH"] {
      _ = await Self.response(method, path, type, as: .app, api)
    }
    #expect(await Self.response("POST", path, type, as: .app, api).status == .notFound)
  }

  @Test func `parameters are counted with what is read from them`() async throws {
    let memory = MemoryBudget(limit: 1 << 20)
    let api = try APIFixture(memory: memory)
    let other = MemoryReservation(of: memory)
    #expect(other.resize(to: 800_000))
    let body = Array("{\"email\":\"\(String(repeating: "x", count: 50_000))\"}".utf8)
    let request = Request(
      head: Request(
        "POST", "/api/signin", fields: APIFixture.Caller.app.fields + [("Content-Type", "application/json")]
      ).head,
      body: RequestBody(
        length: body.count, source: PiecesBody(body, sizes: [body.count]), memory: RequestMemory(of: memory)),
      peer: "127.0.0.1")
    let response = await api.application.respond(request)
    #expect(response.status == .serviceUnavailable)
    #expect(response.fields["Retry-After"] == "1")
    withExtendedLifetime(other) {}
  }
}
