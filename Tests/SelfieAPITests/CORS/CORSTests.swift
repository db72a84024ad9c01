import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite struct CORSTests {
  private static let page = "https://app.example"
  private static let two = AllowedOrigins(origins: [page, "http://localhost:5173"])

  /// What the application responds with to a page.
  private func send(
    _ method: String = "GET", _ target: String = "/api/get_photos", from origin: String?, to origins: AllowedOrigins,
    fields: [(name: String, value: String)] = []
  ) async throws -> Response {
    let api = try APIFixture()
    let origin = origin.map { [(name: "Origin", value: $0)] } ?? []
    let request = Request(method, target, fields: [("Host", "h")] + origin + fields)
    return await CORS(origins).handle(request) { api.application.reply(to: $0) }.response
  }

  private func lines(_ response: Response, _ name: String) -> [Substring] {
    String(decoding: response.fields.lines, as: UTF8.self).split(separator: "\r\n").filter { $0.hasPrefix("\(name):") }
  }

  @Test(arguments: [("GET", "/up", 200), ("GET", "/api/get_photos", 401), ("GET", "/nowhere", 404)])
  func `a page of an allowed origin may read every response, errors included`(
    _ method: String, _ target: String, _ status: Int
  ) async throws {
    for origin in ["https://app.example", "http://localhost:5173"] {
      let response = try await send(method, target, from: origin, to: Self.two)
      #expect(response.status.code == status)
      #expect(lines(response, "Access-Control-Allow-Origin") == ["Access-Control-Allow-Origin: \(origin)"])
      #expect(lines(response, "Vary") == ["Vary: Origin"])
      let exposed = try #require(response.fields["Access-Control-Expose-Headers"]).split(separator: ", ")
      #expect(Set(["ETag", "X-Error", "Retry-After", "Content-Range", "Location"]).isSubset(of: exposed))
      #expect(response.fields["Access-Control-Allow-Credentials"] == nil)
    }
  }

  @Test(arguments: ["https://evil.example", "null", "https://app.example.evil.example", "HTTPS://APP.EXAMPLE", ""])
  func `a page of another origin may read nothing, and no cache gives it what another may`(
    _ origin: String
  ) async throws {
    let response = try await send(from: origin, to: Self.two)
    #expect(lines(response, "Access-Control-").isEmpty)
    #expect(response.fields["Vary"] == "Origin")
    #expect(try await send(from: nil, to: Self.two).fields["Vary"] == "Origin")
    let preflight = try await send(
      "OPTIONS", from: origin, to: Self.two, fields: [("Access-Control-Request-Method", "GET")])
    #expect(lines(preflight, "Access-Control-").isEmpty)
    #expect(preflight.fields["Allow"] != nil)
  }

  @Test func `with a star every page may, whatever its origin, and caches may give it what another got`() async throws {
    for (origin, method, target) in [
      ("https://evil.example", "GET", "/up"), ("null", "GET", "/api/get_photos"), (nil, "GET", "/nowhere"),
      (nil, "HEAD", "/up"), (nil, "OPTIONS", "/api/get_photos"), (nil, "GET", "/photos/x"),
    ] {
      let response = try await send(method, target, from: origin, to: .all)
      #expect(lines(response, "Access-Control-Allow-Origin") == ["Access-Control-Allow-Origin: *"])
      #expect(response.fields["Access-Control-Expose-Headers"] != nil)
      #expect(response.fields["Access-Control-Allow-Credentials"] == nil)
      #expect(response.fields["Vary"] == nil)
    }
  }

  @Test(arguments: ["/api/get_photos", "/photos/x", "/nowhere", "/"])
  func `a preflight is answered for every address`(_ target: String) async throws {
    let response = try await send(
      "OPTIONS", target, from: Self.page, to: Self.two,
      fields: [("Access-Control-Request-Method", "DELETE")])
    #expect(response.status == .noContent)
    #expect(response.fields["Access-Control-Allow-Origin"] == Self.page)
    #expect(response.fields["Access-Control-Allow-Methods"] == "DELETE, GET, HEAD, PATCH, POST, PUT")
    #expect(response.fields["Access-Control-Max-Age"] == "7200")
    #expect(response.fields["Vary"] == "Origin")
    #expect(response.fields["X-Error-Detail"] == nil && response.fields["Allow"] == nil)
  }

  @Test(arguments: [
    [], ["authorization,content-type,ngrok-skip-browser-warning"], ["baggage", "sentry-trace, traceparent"], [""],
  ])
  func `an allowed page may set whatever fields it asks for`(_ requested: [String]) async throws {
    let fields = requested.map { (name: "Access-Control-Request-Headers", value: $0) }
    for origins in [AllowedOrigins.all, Self.two] {
      let response = try await send(
        "OPTIONS", from: Self.page, to: origins, fields: fields + [("Access-Control-Request-Method", "POST")])
      let allowed = requested.map { "Access-Control-Allow-Headers: \($0)" }
      #expect(lines(response, "Access-Control-Allow-Headers").map(String.init) == allowed)
      #expect(response.fields["Access-Control-Allow-Credentials"] == nil)
    }
  }

  @Test(arguments: ["/api/get_photos", "/photos/x", "/nowhere", "/"])
  func `a preflight that is not allowed says so, with the status of other OPTIONS`(_ target: String) async throws {
    let detail = "CORS_ORIGINS does not allow http://localhost:8080; add this origin to it, or set it to *"
    let request = [(name: "Access-Control-Request-Method", value: "GET")]
    let response = try await send("OPTIONS", target, from: "http://localhost:8080", to: Self.two, fields: request)
    #expect(response.status == .noContent)
    #expect(response.fields["X-Error-Detail"] == detail)
    #expect(response.fields["Allow"] != nil && lines(response, "Access-Control-").isEmpty)
    // Without the setting, nothing stands around the application.
    let unset = try await APIFixture().send(
      "OPTIONS", target, fields: [("Origin", "http://localhost:8080")] + request.map { ($0.name, $0.value) })
    #expect(unset.fields["X-Error-Detail"] == detail)
  }

  @Test func `a long origin, or one that is no text, fits into the line`() async throws {
    let request = [(name: "Access-Control-Request-Method", value: "GET")]
    for origin in ["http://" + String(repeating: "a", count: 5_000), "http://\u{e9}\u{202e}"] {
      let response = try await send("OPTIONS", from: origin, to: Self.two, fields: request)
      let detail = try #require(response.fields["X-Error-Detail"])
      #expect(detail.hasSuffix("add this origin to it, or set it to *") && detail.utf8.count <= 300)
      #expect(detail.utf8.allSatisfy { (0x20...0x7e).contains($0) })
    }
  }

  @Test func `an OPTIONS that is no preflight is answered as ever, and marked`() async throws {
    let response = try await send("OPTIONS", from: Self.page, to: Self.two)
    #expect(response.fields["Allow"] == "GET, HEAD, OPTIONS")
    #expect(response.fields["Access-Control-Allow-Origin"] == Self.page)
  }

  @Test func `a request whose head cannot be read is answered for the only origin that there can be`() throws {
    let api = try APIFixture()
    func allowed(_ origins: AllowedOrigins) -> String? {
      var response = api.application.refuse(.badRequest, "malformed")
      CORS(origins).handle(refusal: &response, of: RefusedRequest(head: nil, peer: "192.0.2.1", context: nil))
      return response.fields["Access-Control-Allow-Origin"]
    }
    #expect(allowed(.all) == "*")
    #expect(allowed(AllowedOrigins(origins: [Self.page])) == Self.page)
    #expect(allowed(Self.two) == nil)
  }

  // MARK: - Allowed origins

  @Test(arguments: [
    ("*", ["*"]), (" * ", ["*"]), ("https://app.example", ["https://app.example"]),
    ("https://App.Example:443, http://localhost:5173", ["https://app.example", "http://localhost:5173"]),
    ("http://a:80,https://a:8443", ["http://a", "https://a:8443"]),
    ("http://[::1]:8080", ["http://[::1]:8080"]), ("capacitor://localhost", ["capacitor://localhost"]),
  ])
  func `origins are read as browsers write them`(_ text: String, _ origins: [String]) {
    #expect(AllowedOrigins(text)?.origins == origins)
  }

  @Test(arguments: [
    "", ",", "app.example", "https://", "https://app.example/", "https://app.example/path", "https://a?b", "null",
    "https://a,*", "*,*", "https://*.example", "https://a,,https://b", "https://user@a", "1a://b",
    "https://a b\r\nX: y",
  ])
  func `what no browser could send as an origin is refused`(_ text: String) {
    #expect(AllowedOrigins(text) == nil)
  }
}
