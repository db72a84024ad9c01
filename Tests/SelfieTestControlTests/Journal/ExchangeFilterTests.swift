import Cryptography
import HTTPMessages
import SelfieAPI
import SelfieTestDocuments
import Testing

@testable import SelfieTestControl

@Suite struct ExchangeFilterTests {
  static let exchange: Exchange = {
    var exchange = Exchange.sample(
      "POST", "/api/upload_photo", 200,
      parameters: [
        "title": .string("me"), "count": .number("1.50"), "ok": .bool(true), "nothing": .null, "a.b": .string("dot"),
        "user": .object(["name": .string("Jo"), "tags": .array([.string("x"), .string("y")])]),
        "image": JSONValue(.file(filename: "photo", byteCount: 12, contentType: "image/png")),
      ],
      fields: [.init(name: "Accept", value: "a"), .init(name: "ACCEPT", value: "b")])
    exchange.id = 7
    exchange.token = Exchange.Token(
      state: .valid, email: "ada@example.com", expiresAt: nil,
      digest: Digest.hex(Token.digest(of: Array("ada-token".utf8))))
    return exchange
  }()

  private static let like: [ExchangeFilter] = [
    .any, .post("/api/upload_photo"), .post("/api/*", status: 200), .any.since(6),
    .any.with(parameter: "title", "me"), .any.with(parameter: "count", "1.50"), .any.with(parameter: "ok", "true"),
    .any.with(parameter: "a.b", "dot"), .any.with(parameter: "user.name", "Jo"),
    .any.with(parameter: "user.tags.1", "y"), .any.with(parameter: "image.content_type", "image/png"),
    .any.with(parameter: "image.byte_count", "12"), .any.with(field: "accept", "a, b"),
    .any.with(parameter: "title", .contains("e")), .any.with(field: "accept", .contains(", ")),
    .any.of(user: "ada@example.com").of(token: "ada-token"), .any.without(parameter: "page"),
  ]
  private static let unlike: [ExchangeFilter] = [
    .get("/api/upload_photo"), .post("/api/upload"), .post("/api/*", status: 400), .any.since(7),
    .any.with(parameter: "title", "Me"), .any.with(parameter: "nothing", ""), .any.with(parameter: "user", ""),
    .any.with(parameter: "user.tags.2", "y"), .any.with(parameter: "user.tags.-1", "y"),
    .any.with(parameter: "user.tags", "x"),
    .any.with(parameter: "title.x", "me"), .any.with(parameter: "", "me"), .any.with(parameter: "user.", "Jo"),
    .any.with(field: "accept", "a"), .any.with(field: "host", ""), .any.with(parameter: "title", .contains("E")),
    .any.with(parameter: "page", .contains("")), .any.of(user: "jo@example.com"), .any.of(token: "other"),
    .any.without(parameter: "title"),
  ]

  @Test(arguments: like.map { ($0, true) } + unlike.map { ($0, false) })
  func `a filter matches the exchanges that meet its conditions, and no others`(filter: ExchangeFilter, matches: Bool) {
    #expect(filter.matches(Self.exchange) == matches)
  }

  @Test func `a parameter of the query takes precedence over one of the body`() {
    var exchange = Exchange.sample("POST", "/", parameters: ["a": "body"])
    exchange.query = ["a": "query"]
    (exchange.error, exchange.fault) = ("e", 3)
    #expect(exchange["a"] == "query")
    var filter = ExchangeFilter.any
    (filter.error, filter.fault) = ("e", 3)
    #expect(filter.matches(exchange))
    #expect(!filter.matches(Self.exchange))
  }

  @Test(arguments: [
    (ExchangeFilter.any, "request"), (ExchangeFilter(method: "GET"), "GET request"),
    (ExchangeFilter(path: "/up"), "request to /up"),
    (
      .post("/a", status: 200).with(field: "Accept", "b").with(parameter: "t", "x"),
      "POST /a with status 200 and t \"x\" and Accept: b"
    ),
    (
      .get("/a").of(user: "ada@example.com").of(token: "ada-token").with(parameter: "t", .contains("x")),
      "GET /a with a token of ada@example.com and the token (…) and t containing \"x\""
    ),
  ])
  func `a filter describes itself`(filter: ExchangeFilter, words: String) {
    #expect(filter.description(count: 1) == words)
  }
}
