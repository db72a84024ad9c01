import APITestSupport
import Foundation
import HTTPMessages
import Testing

@testable import SelfieTestControl

/// Nothing secret may stand anywhere in what the journal shows: its bytes are looked through.
@Suite struct SecretMaskTests {
  static let token = "tokentokentokentokentoke"
  static let password = Fixture.encrypted("secret12")
  private static let cookie = String(repeating: "aB3", count: 10) + "xy"

  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  /// The journal's JSON after one request.
  private func journal(
    after target: String, method: String = "POST", type: String? = nil, authorization: String? = nil,
    fields: [(String, String)] = [], _ body: [UInt8] = []
  ) async -> String {
    var fields = [("Host", "localhost")] + fields
    if let type { fields.append(("Content-Type", type)) }
    if let authorization { fields.append(("Authorization", authorization)) }
    _ = await fixture.worlds.respond(
      Request(method, target, fields: fields.map { (name: $0.0, value: $0.1) }, body: body))
    return await fixture.send("GET", "/__admin/requests").text
  }

  private static let secrets = [
    token, password, "secret12", Fixture.apiAuthPassword, String(Fixture.basic.dropFirst(6)),
  ]

  private func expectNoSecret(in text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(text.contains(#""requests":[{"id":1"#), sourceLocation: sourceLocation)
    for secret in Self.secrets { #expect(!text.contains(secret), "\(text)", sourceLocation: sourceLocation) }
  }

  @Test(arguments: [
    ("application/json", #"{"email":"a@b.cd","password":"\#(password)"}"#, #""password":"decrypts: yes""#),
    ("application/json", #"{"password":"secret12"}"#, #""password":"decrypts: no""#),
    ("application/json", #"{"password":["\#(password)"]}"#, #""password":"decrypts: no""#),
    ("application/json", #"{"password":{"is":"\#(password)"}}"#, #""password":"decrypts: no""#),
    ("application/json", #"{"password":null}"#, #""password":null"#),
    ("application/json", #"{"user":[{"new_password":"\#(password)"}]}"#, #""new_password":"decrypts: yes""#),
    ("application/json", #"{"old_password":"\#(password)","Password":""}"#, #""Password":"decrypts: no""#),
    ("application/json", #"{"api_authtoken":"\#(token)"}"#, #""api_authtoken":"(…)""#),
    ("application/json", #"["\#(Fixture.apiAuthPassword)"]"#, #""_json":["(…)"]"#),
    ("application/json", #"[{"password":"\#(password)"}]"#, #"decrypts: yes"#),
    ("application/json", #""secret12""#, #""_json":"(…)""#),
    ("application/json", #"{"password":"\#(password)" "x"}"#, "not valid JSON"),
    ("text/plain", #"{"password":"\#(password)"}"#, "has no parameters"),
    ("application/x-www-form-urlencoded", "user[password]=secret12", #""user":{"password":"decrypts: no"}"#),
    ("application/x-www-form-urlencoded", #"{"password":"\#(password)"}"#, #""(…)":"decrypts: no""#),
  ])
  func `of a body`(type: String, body: String, shown: String) async {
    let text = await journal(after: "/api/signin", type: type, authorization: Fixture.basic, Array(body.utf8))
    #expect(text.contains(shown), "\(text)")
    expectNoSecret(in: text)
  }

  @Test func `of a multipart`() async {
    let body =
      MultipartBody.field("password", Self.password) + MultipartBody.field("api_authtoken", Self.token)
      + MultipartBody.end
    let text = await journal(after: "/api/signin", type: MultipartBody.contentType, authorization: Fixture.basic, body)
    #expect(text.contains(#""api_authtoken":"(…)","password":"decrypts: yes""#), "\(text)")
    expectNoSecret(in: text)
  }

  @Test(arguments: [
    ("Token token=\(token)", "Token (…)"), ("Token \(token)", "Token (…)"), ("bearer \(token)", "Bearer (…)"),
    ("Basic \(Data("me:secret12".utf8).base64EncodedString())", "Basic (API credentials: wrong)"),
    (Fixture.basic("jane@example.com", "secret12"), "Basic (password of jane@example.com)"),
    (Fixture.basic, "Basic (API credentials: right)"), (token, "(…)"), ("Digest \(token)", "(…)"),
  ])
  func `of an Authorization field`(value: String, shown: String) async {
    let text = await journal(after: "/api/get_photos", method: "GET", authorization: value)
    #expect(text.contains(#"{"name":"Authorization","value":"\#(shown)"}"#), "\(text)")
    expectNoSecret(in: text)
  }

  @Test func `of a query, a path and other fields`() async {
    let text = await journal(
      after:
        "/api/\(Self.token)/signin%3Fpassword=secret12?api_authtoken=\(Self.token)&password=secret12&q=\(Self.token)",
      method: "GET",
      authorization: "Token token=\(Self.token)",
      fields: [
        ("Referer", "http://localhost/?password=secret12"), ("Cookie", "session=\(Self.token)"),
        ("X-Auth-Token", Self.token), ("Authorisation", "Token token=misspelt"),
        ("X-Note", "it is \(Fixture.apiAuthPassword)."), ("Accept", "*/*"),
      ])
    expectNoSecret(in: text)
    for shown in [
      #""path":"/api/(…)/signin%3Fpassword=(…)""#, #""q":"(…)""#, "http://localhost/?(…)", "it is (…).",
      #""value":"*/*""#,
      #"{"name":"Authorisation","value":"Token (…)"}"#,
    ] { #expect(text.contains(shown), "\(text)") }
  }

  @Test func `of a session of Microblog`() async {
    let text = await journal(
      after: "/blogposts?x=\(Self.cookie)", type: "application/json",
      fields: [("Cookie", "a=b; auth_tkt=\(Self.cookie)")],
      Array(#"{"text":"it is \#(Self.cookie)"}"#.utf8))
    #expect(text.contains(#""query":{"x":"(…)"}"#) && !text.contains(Self.cookie), "\(text)")
  }

  @Test(arguments: [
    (#"{"api_authtoken":"a\"b","n":1}"#, #"{"api_authtoken":"(…)","n":1}"#),
    (
      #"{"tokens" : ["a", "b"], "Password": "c", "x": "token"}"#,
      #"{"tokens" : ["(…)", "(…)"], "Password": "(…)", "x": "token"}"#
    ),
    (
      #"{"authtoken_expiry":"2026","email":"\#(Fixture.apiAuthPassword)"}"#,
      #"{"authtoken_expiry":"2026","email":"(…)"}"#
    ),
    (#"{"password":"cut o"#, #"{"password":"(…)"#), (#"{"password":"cut o\"#, #"{"password":"(…)"#),
    (#"{"password":""#, #"{"password":"(…)"#),
    (#"{"password"#, #"{"password"#), ("plain: text", "plain: text"), ("", ""),
  ])
  func `of a response's text`(text: String, shown: String) {
    let mask = SecretMask(for: Request("GET", "/"), fixture.worlds.main.application)
    #expect(mask.json(Array(text.utf8)[...]) == shown)
  }

  @Test func `of a response's cookie`() async throws {
    let login = #"{"name":"ada","password":"secret12"}"#
    let seed = #"{"microblog":{"users":[{"name":"ada","password":"secret12"}]}}"#
    #expect(await fixture.send("POST", "/__admin/seed", seed).status == 200)
    let response = await fixture.send("POST", "/users/login", login)
    let cookie = try #require(response.fields["Set-Cookie"]?.firstMatch(of: /auth_tkt=(\w+)/)?.1)
    let text = await fixture.send("GET", "/__admin/requests").text
    #expect(text.contains(#"{"name":"Set-Cookie","value":"(…)"}"#) && !text.contains(cookie), "\(text)")
  }

  @Test func `parameters that are not secret are shown as they are`() async {
    let read = await journal(
      after: "/api/signin", type: "application/json", authorization: Fixture.basic,
      Array(#"{"full_name":"Jo","n":1.50,"b":true,"l":[2]}"#.utf8))
    #expect(read.contains(#"{"b":true,"full_name":"Jo","l":[2],"n":1.5}"#), "\(read)")
  }

  @Test func `showing whether credentials are right counts as no guess`() async throws {
    let wrong = "Basic \(Data("me:secret12".utf8).base64EncodedString())"
    for _ in 0..<9 { _ = await journal(after: "/api/signin", authorization: wrong) }
    #expect(try await fixture.api("POST", "signin").status == 400)
  }
}
