import TestSupport
import Testing

/// The comparison finds what is wrong with a response.
@Suite struct ResponseComparisonTests {
  private static let token = String(repeating: "aB", count: 12)
  private static let otherToken = String(repeating: "xY", count: 12)
  private static let id = String(repeating: "i", count: 41)
  private static let tag = "\"0123456789abcdef0123456789abcdef\""

  private static let success = [
    Field(name: "X-Frame-Options", value: "SAMEORIGIN"), Field(name: "X-XSS-Protection", value: "1; mode=block"),
    Field(name: "X-Content-Type-Options", value: "nosniff"),
    Field(name: "X-Request-Id", value: "0123456789abcdef0123456789abcdef"), Field(name: "X-Runtime", value: "0.000123"),
    Field(name: "Content-Type", value: "application/json; charset=utf-8"),
    Field(name: "Cache-Control", value: "max-age=0, private, must-revalidate"), Field(name: "ETag", value: tag),
  ]

  private func response(
    _ body: String = "{}", status: Int = 200, replacing name: String? = nil, by value: String? = nil,
    adding added: [Field] = []
  ) throws -> RawResponse {
    var fields = Self.success
    if let name { fields.removeAll { $0.name == name } }
    if let name, let value { fields.append(Field(name: name, value: value)) }
    let lines = ["HTTP/1.1 \(status) OK"] + (fields + added).map { "\($0.name): \($0.value)" }
    return try #require(RawResponse(all: Array("\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)".utf8)))
  }

  private func differences(_ expected: ExpectedResponse, _ response: RawResponse) -> [String] {
    var shapes = Shapes()
    return expected.differences(from: response, shapes: &shapes)
  }

  @Test(
    arguments: [
      ("X-Frame-Options", "DENY"), ("X-XSS-Protection", "0"), ("X-Content-Type-Options", nil), ("X-Request-Id", "1"),
      ("X-Request-Id", nil), ("X-Runtime", "1"), ("X-Runtime", nil), ("Content-Type", "text/html"),
      ("Content-Type", nil), ("Cache-Control", "no-cache"), ("ETag", nil),
      ("ETag", "W/\"0123456789abcdef0123456789abcdef\""), ("ETag", "\"1\""),
    ] as [(String, String?)])
  func `a wrong field is noticed`(name: String, value: String?) throws {
    let found = differences(ExpectedResponse(status: 200, body: "{}"), try response(replacing: name, by: value))
    #expect(found.count == 1)
    #expect(try #require(found.first).hasPrefix("\(name.lowercased()): expected "))
    #expect(try #require(found.first).hasSuffix("got \(value ?? "none")"))
  }

  @Test func `a wrong status and a field too many are noticed`() throws {
    let expected = ExpectedResponse(status: 200, body: "{}")
    #expect(try differences(expected, response(status: 201)).contains("status: expected 200, got 201"))
    let extra = Field(name: "Set-Cookie", value: "a=b")
    #expect(try differences(expected, response(adding: [extra])) == ["set-cookie: expected none, got a=b"])
    let twice = Field(name: "x-runtime", value: "0.000123")
    #expect(try differences(expected, response(adding: [twice])) == ["x-runtime: sent twice"])
    let absent = ExpectedResponse(status: 200, fields: [Field(name: "ETag", value: "(none)")], body: "{}")
    #expect(try differences(absent, response()).count == 1)
    #expect(try differences(absent, response(replacing: "ETag")).isEmpty)
  }

  @Test(arguments: [
    ("{\"a\":1}", "{\"a\":2}", 5), ("{}", "", 0), ("", "{}", 0), ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", 2),
    ("{\"a\":1}", "{\"a\": 1}", 5), ("\"<\"", "\"\\u003c\"", 1), ("\"e\u{301}\"", "\"\u{e9}\"", 1),
  ])
  func `a wrong body is noticed`(expected: String, got: String, byte: Int) throws {
    let found = differences(ExpectedResponse(status: 200, body: expected), try response(got))
    #expect(found.count == 1)
    #expect(try #require(found.first).hasPrefix("body, from byte \(byte) on:"))
  }

  /// One after the other, in one conversation.
  @Test func `a value that should be that of an earlier response, or another, is noticed`() throws {
    var shapes = Shapes()
    let photo = "{\"id\":7,\"image_url\":\"http://a/photos/\(Self.id)\",\"random_id\":\"\(Self.id)\"}"
    let described = "{\"id\":<photo#1>,\"image_url\":\"http://a/photos/<id#1>\",\"random_id\":\"<id#1>\"}"
    func token(_ value: String) -> String { "{\"api_authtoken\":\"\(value)\"}" }
    for (expected, got, isSame) in [
      (token("<token#1>"), token(Self.token), true), (token("<token#1>"), token(Self.otherToken), false),
      (token("<token#2>"), token(Self.otherToken), true), (token("<token#2>"), token(Self.token), false),
      (token("<token#3>"), token(Self.token + "a"), false), (described, photo, true),
      (described, photo.replacing("//a/", with: "//b/"), false),
      (described, photo.replacing("_id\":\"i", with: "_id\":\"j"), false),
    ] {
      let found = ExpectedResponse(status: 200, body: expected).differences(from: try response(got), shapes: &shapes)
      #expect(found.count == (isSame ? 0 : 1), "\(expected), \(got)")
    }
    let tagged = ExpectedResponse(status: 200, fields: [Field(name: "ETag", value: "<etag#1>")], body: "{}")
    for (tag, difference) in [
      (Self.tag, nil), (Self.tag, nil), ("\"\(String(repeating: "f", count: 32))\"", "<etag#2>"), ("\"1\"", "\"1\""),
    ] {
      let found = tagged.differences(from: try response(replacing: "ETag", by: tag), shapes: &shapes)
      #expect(found == (difference.map { ["etag: expected <etag#1>, got \($0)"] } ?? []))
    }
  }
}
