import Testing

/// The comparison finds what is wrong with a response.
@Suite struct ResponseComparisonTests {
  private static let token = String(repeating: "aB", count: 12)
  private static let otherToken = String(repeating: "xY", count: 12)
  private static let id = String(repeating: "i", count: 41)

  private static let common = [
    Field(name: "X-Frame-Options", value: "SAMEORIGIN"), Field(name: "X-XSS-Protection", value: "1; mode=block"),
    Field(name: "X-Content-Type-Options", value: "nosniff"),
    Field(name: "X-Request-Id", value: "0123456789abcdef0123456789abcdef"), Field(name: "X-Runtime", value: "0.000123"),
  ]
  private static let success =
    common + [
      Field(name: "Content-Type", value: "application/json; charset=utf-8"),
      Field(name: "Cache-Control", value: "max-age=0, private, must-revalidate"),
      Field(name: "ETag", value: "\"0123456789abcdef0123456789abcdef\""),
    ]

  private func response(
    _ body: String = "{}", status: Int = 200, replacing name: String? = nil, by value: String? = nil,
    adding added: [Field] = []
  ) -> ActualResponse {
    var fields = Self.success
    if let name { fields.removeAll { $0.name == name } }
    if let name, let value { fields.append(Field(name: name, value: value)) }
    return ActualResponse(status: status, fields: fields + added, body: Array(body.utf8))
  }

  private func differences(_ expected: ExpectedResponse, _ response: ActualResponse) -> [String] {
    var shapes = Shapes()
    return expected.differences(from: response, shapes: &shapes)
  }

  @Test func `nothing is wrong with the right response`() {
    #expect(differences(ExpectedResponse(status: 200, body: "{}"), response()).isEmpty)
    let notModified = ActualResponse(
      status: 304, fields: Self.success.filter { $0.name != "Content-Type" }, body: [])
    #expect(differences(ExpectedResponse(status: 304), notModified).isEmpty)
    let denied = ActualResponse(
      status: 401,
      fields: Self.common + [
        Field(name: "content-type", value: "application/json; charset=utf-8"),
        Field(name: "cache-control", value: "no-cache"), Field(name: "x-error", value: "invalid_token"),
      ], body: Array("{}".utf8))
    let expected = ExpectedResponse(status: 401, fields: [Field(name: "X-Error", value: "invalid_token")], body: "{}")
    #expect(differences(expected, denied).isEmpty)
  }

  @Test func `a wrong status is noticed`() {
    #expect(
      differences(ExpectedResponse(status: 200, body: "{}"), response(status: 201)).contains(
        "status: expected 200, got 201"))
  }

  @Test(
    arguments: [
      ("X-Frame-Options", "DENY"), ("X-XSS-Protection", "0"), ("X-Content-Type-Options", nil), ("X-Request-Id", "1"),
      ("X-Request-Id", nil), ("X-Runtime", "1"), ("X-Runtime", nil), ("Content-Type", "text/html"),
      ("Content-Type", nil),
      ("Cache-Control", "no-cache"), ("ETag", nil), ("ETag", "W/\"0123456789abcdef0123456789abcdef\""),
      ("ETag", "\"1\""),
    ] as [(String, String?)])
  func `a wrong field is noticed`(name: String, value: String?) throws {
    let found = differences(ExpectedResponse(status: 200, body: "{}"), response(replacing: name, by: value))
    #expect(found.count == 1)
    #expect(try #require(found.first).hasPrefix("\(name.lowercased()): expected "))
    #expect(try #require(found.first).hasSuffix("got \(value ?? "none")"))
  }

  @Test func `a field too many is noticed`() {
    let extra = Field(name: "Set-Cookie", value: "a=b")
    #expect(
      differences(ExpectedResponse(status: 200, body: "{}"), response(adding: [extra]))
        == ["Set-Cookie: expected none, got a=b"])
    let twice = Field(name: "x-runtime", value: "0.000123")
    #expect(
      differences(ExpectedResponse(status: 200, body: "{}"), response(adding: [twice])) == ["x-runtime: sent twice"])
    let absent = ExpectedResponse(status: 200, fields: [Field(name: "ETag", value: "(none)")], body: "{}")
    #expect(differences(absent, response()).count == 1)
    #expect(differences(absent, response(replacing: "ETag")).isEmpty)
  }

  @Test(arguments: [
    ("{\"a\":1}", "{\"a\":2}", 5), ("{}", "", 0), ("", "{}", 0), ("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}", 2),
    ("{\"a\":1}", "{\"a\": 1}", 5), ("\"<\"", "\"\\u003c\"", 1), ("\"e\u{301}\"", "\"\u{e9}\"", 1),
  ])
  func `a wrong body is noticed`(expected: String, got: String, byte: Int) throws {
    let found = differences(ExpectedResponse(status: 200, body: expected), response(got))
    #expect(found.count == 1)
    #expect(try #require(found.first).hasPrefix("body, from byte \(byte) on:"))
  }

  @Test func `a token that should be the same, or another, is noticed`() {
    var shapes = Shapes()
    func differences(_ expected: String, _ token: String) -> [String] {
      ExpectedResponse(status: 200, body: "{\"api_authtoken\":\"\(expected)\"}")
        .differences(from: response("{\"api_authtoken\":\"\(token)\"}"), shapes: &shapes)
    }
    #expect(differences("<token#1>", Self.token).isEmpty)
    #expect(differences("<token#1>", Self.token).isEmpty)
    #expect(differences("<token#1>", Self.otherToken).count == 1)
    #expect(differences("<token#2>", Self.otherToken).isEmpty)
    #expect(differences("<token#2>", Self.token).count == 1)
  }

  @Test(arguments: ["aB", "aBaBaBaBaBaBaBaBaBaBaBa", "aBaBaBaBaBaBaBaBaBaBaBaBa", "1BaBaBaBaBaBaBaBaBaBaBaB", ""])
  func `a token of another form is noticed`(token: String) {
    let expected = ExpectedResponse(status: 200, body: "{\"api_authtoken\":\"<token#1>\"}")
    #expect(differences(expected, response("{\"api_authtoken\":\"\(token)\"}")).count == 1)
  }

  @Test func `an address must name the photo it comes with`() {
    let expected = ExpectedResponse(
      status: 200, body: "{\"id\":<photo#1>,\"image_url\":\"http://a/photos/<id#1>\",\"random_id\":\"<id#1>\"}")
    func body(_ host: String, _ id: String) -> String {
      "{\"id\":7,\"image_url\":\"http://\(host)/photos/\(Self.id)\",\"random_id\":\"\(id)\"}"
    }
    #expect(differences(expected, response(body("a", Self.id))).isEmpty)
    #expect(differences(expected, response(body("b", Self.id))).count == 1)
    #expect(differences(expected, response(body("a", String(repeating: "j", count: 41)))).count == 1)
  }

  @Test func `a tag that should be the same is noticed`() {
    var shapes = Shapes()
    let expected = ExpectedResponse(status: 200, fields: [Field(name: "ETag", value: "<etag#1>")], body: "{}")
    let other = "\"ffffffffffffffffffffffffffffffff\""
    #expect(expected.differences(from: response(), shapes: &shapes).isEmpty)
    #expect(expected.differences(from: response(), shapes: &shapes).isEmpty)
    #expect(
      expected.differences(from: response(replacing: "ETag", by: other), shapes: &shapes)
        == ["etag: expected <etag#1>, got <etag#2>"])
    #expect(expected.differences(from: response(replacing: "ETag", by: "\"1\""), shapes: &shapes).count == 1)
  }

  @Test func `a page is known by its title`() {
    let page = "<!DOCTYPE html>\n<html><head><title>selfie-server</title></head><body>Hello</body></html>"
    #expect(differences(ExpectedResponse(status: 200, body: "<page \"selfie-server\">"), response(page)).isEmpty)
    #expect(differences(ExpectedResponse(status: 200, body: "<page \"other\">"), response(page)).count == 1)
  }
}
