import APITestSupport
import Cryptography
import Foundation
import HTTPMessages
import SelfieAPI
import SelfieTestDocuments
import Testing

@testable import SelfieTestControl

private let disposition = "Content-Disposition: form-data; name="

/// What the journal notes of whole exchanges, and what it leaves out.
@Suite struct RecordingTests {
  let fixture: Fixture
  var journal: Journal { fixture.worlds.main.journal }

  init() throws { fixture = try Fixture() }

  private func newest() throws -> Exchange { try #require(journal.exchange(journal.lastID)) }

  /// A request with any body.
  @discardableResult
  private func send(_ type: String?, _ body: RequestBody, token: String = "", to target: String) async -> Response {
    var fields = [("Host", "localhost"), ("Authorization", token.isEmpty ? Fixture.basic : "Token token=\(token)")]
    if let type { fields.append(("Content-Type", type)) }
    let head = Request("POST", target, fields: fields.map { (name: $0.0, value: $0.1) }).head
    return await fixture.worlds.respond(Request(head: head, body: body, peer: "127.0.0.1"))
  }

  private func newToken() async throws -> String {
    try #require(try await fixture.api("POST", "signup", Fixture.ada).status == 200)
    return try #require(try await fixture.api("POST", "signin", Fixture.ada)["api_authtoken"] as? String)
  }

  @Test func `an exchange is recorded with its parameters`() async throws {
    fixture.worlds.main.clock.apply(ClockChange(freeze: .at(1_767_225_600_000)))
    let user = ["email": "a@example.com", "password": Fixture.encrypted("secret12"), "full_name": "Ada Lovelace"]
    #expect(try await fixture.api("POST", "signup?utm=x%20y", user).status == 200)
    let exchange = try newest()
    #expect(exchange.id == 1)
    #expect(exchange.time == 1_767_225_600_000)
    #expect((0..<60_000).contains(exchange.durationMilliseconds))
    #expect((exchange.durationMilliseconds * 100).rounded() / 100 == exchange.durationMilliseconds)
    #expect(exchange.aheadMilliseconds != 0)
    #expect(
      exchange.needed.map { "\($0.name): \($0.value)" } == [
        "Authorization: Basic with the API's name and password", "full_name: text", "email: text",
        "password: encrypted text",
      ])
    #expect(exchange.peer == "127.0.0.1")
    #expect("\(exchange)" == "#1 POST /api/signup -> 200")
    #expect(exchange.query == ["utm": .string("x y")])
    #expect(exchange["email"] == "a@example.com")
    #expect(exchange["full_name"] == "Ada Lovelace")
    #expect(exchange["password"] == "decrypts: yes")
    #expect(exchange.field("authorization") == "Basic (API credentials: right)")
    #expect(exchange.field("content-TYPE") == "application/json")
    #expect(exchange.body.complete)
    #expect(exchange.body.problem == nil)
  }

  @Test func `a preflight that is not allowed is recorded with the reason`() async throws {
    let fields = [
      ("Host", "localhost"), ("Origin", "http://localhost:8080"), ("Access-Control-Request-Method", "POST"),
    ]
    _ = await fixture.send("OPTIONS", "/api/signin", fields: fields)
    let exchange = try newest()
    #expect("\(exchange)" == "#1 OPTIONS /api/signin -> 204")
    #expect(exchange.detail?.hasPrefix("CORS_ORIGINS does not allow http://localhost:8080") == true)
  }

  @Test func `an upload is recorded without its bytes`() async throws {
    let token = try await newToken()
    let response = await send(
      MultipartBody.contentType, RequestBody(MultipartBody.upload(Samples.png, title: "Me & you")), token: token,
      to: "/api/upload_photo")
    #expect(response.status == .ok)
    let exchange = try newest()
    #expect(exchange["title"] == "Me & you")
    #expect(
      ["filename", "byte_count", "content_type"].map { exchange["image.\($0)"] } == ["photo", "508", "image/png"])
    #expect(
      exchange.needed.map { "\($0.name): \($0.value)" } == [
        "Authorization: Token token=<the api_authtoken of a sign-in>", "title: text", "image: file",
      ])
    #expect(exchange.body.complete)
  }

  @Test func `a body is read when the application reads it, not before`() async throws {
    let response = await send(
      MultipartBody.contentType, RequestBody(length: nil, source: UnreadBody()), token: "unknown-token",
      to: "/api/upload_photo")
    #expect(response.status == .unauthorized)
    let body = try newest().body
    #expect(body.parameters == [:] && body.byteCount == 0 && !body.complete)
    #expect(body.problem == "It was not read completely.")
  }

  @Test func `a body that breaks off is recorded as far as it came`() async throws {
    let token = try await newToken()
    let image = [UInt8](repeating: 7, count: 100_000)
    let whole = MultipartBody.field("title", "me") + MultipartBody.file("image", filename: "photo", image)
    let body = PiecesBody(Array(whole.dropLast(2)), sizes: [65_536], failure: .disconnected)
    let response = await send(
      MultipartBody.contentType, RequestBody(length: nil, source: body), token: token, to: "/api/upload_photo")
    #expect(response.status == .badRequest)
    let exchange = try newest()
    #expect(exchange["title"] == "me")
    #expect(exchange["image.byte_count"] == "100000")
    #expect(!exchange.body.complete)
    #expect(exchange.body.problem == "It was not read completely. It was cut off: disconnected.")
  }

  @Test(arguments: [
    ("application/json", #"{"full_name":"Jo "JJ" Smith"}"#, "not valid JSON: at byte 18"),
    ("application/x-www-form-urlencoded", "a=%zz", "does not begin an escape"),
    (nil, #"{"email":"a@example.com"}"#, "A body of this Content-Type has no parameters."),
    ("multipart/form-data; boundary=\(String(repeating: "b", count: 71))", "--b", "boundary is too long"),
    (MultipartBody.contentType, "--C\r\n\r\n--C--\r\n", "does not begin with its boundary"),
  ])
  func `the journal says why there are no parameters`(type: String?, body: String, problem: String) async throws {
    await send(type, RequestBody(Array(body.utf8)), to: "/api/signup")
    let exchange = try newest()
    #expect(exchange.body.parameters == [:])
    #expect(exchange.body.problem?.contains(problem) == true, "\(exchange.body.problem ?? "")")
  }

  @Test(arguments: [
    (#"{"full_name":"Jo "JJ" Smith"}"#, #"{"full_name":"Jo ""#, #"JJ" Smith"}"#),
    (#"{"email":"ada@example.com",}"#, #"{"email":"ada@example.com","#, "}"),
    ("{\"full_name\":\"Ada\nLovelace\"}", #"{"full_name":"Ada"#, "␊Lovelace\"}"),
    (#"{“email”: "ada@example.com"}"#, "{", #"“email”: "ad…"#),
    (#"{"title":"\#(String(repeating: "é", count: 40))" x}"#, "…\(String(repeating: "é", count: 15))\" ", "x}"),
    (#"{"email":"ada@example.com""#, #"{"email":"ada@example.com""#, ""),
    (#"{"password":"\#(Fixture.encrypted("secret12"))","n":1,}"#, #"…(…)","n":1,"#, "}"),
    (#"{"password":"se"cret","n":1}"#, #"{"password":"(…)"#, #"(…)","n":1}"#),
    ("{\"password\":\"secret\r\nsecret\"}", #"{"password":"(…)"#, #"␍(…)"}"#),
    (#"{'password':'secret12'}"#, "{", "'password':'(…)…"),
    (#"{"password" "secret12","email":"a@b.cd"}"#, #"{"password" "#, #""(…)","emai…"#),
    (#"{"n":"\#(Fixture.apiAuthPassword)",}"#, #"…(…)","#, "}"),
  ])
  func `JSON that cannot be read is shown around the mistake`(body: String, before: String, after: String) async throws
  {
    await send("application/json", RequestBody(Array(body.utf8)), to: "/api/signup")
    let excerpt = try #require(try newest().body.excerpt)
    #expect(excerpt == Exchange.Excerpt(before: before, after: after))
  }

  @Test(arguments: [
    ("email=ada@example.com&full_name=100%&x=1", "…il=ada@example.com&full_name=100", "%&x=1"),
    ("title=caf%E9", "title=caf", "%E9"), ("password=se%zzcret&n=1", "password=(…)", "%(…)&n=1"),
    ("n=%&password=secret12", "n=", "%&password=(…)…"),
    ("user[password]=p&ss%zz&email=a@b.cd", "user[password(…)", "%(…)&email=a@b.cd"),
    ("api_authtoken=%E9", "api_authtoken=", "%(…)"), ("n=\(Fixture.apiAuthPassword)&x=%", "…(…)&x=", "%"),
    (#"{"password":"x%"}"#, #"{"password":"(…)"#, #"%"}"#),
  ])
  func `a form that cannot be read is shown around the mistake`(body: String, before: String, after: String)
    async throws
  {
    await send("application/x-www-form-urlencoded", RequestBody(Array(body.utf8)), to: "/api/signup")
    #expect(try newest().body.excerpt == Exchange.Excerpt(before: before, after: after))
  }

  @Test(arguments: [
    (
      "--B\r\n\(disposition)\"title\"\r\nHello\r\n--B--\r\n", "…form-data; name=\"title\"␍␊Hello␍␊", "--B--␍␊"
    ),
    (
      "--B\r\n\(disposition)\"password\"\r\n\r\nsecret12\r\n--B\n\(disposition)\"title\"",
      "…name=\"password\"␍␊␍␊(…)␍␊--B", "␊Content-Disposi…"
    ),
    (
      "--B\r\n\(disposition)\"password\"\r\nsecret12\r\n--B--\r\n", "…ata; name=\"password\"␍␊(…)␍␊", "--B--␍␊"
    ),
    (
      "--B\r\n\(disposition)\"password\"\r\n\r\n--Bsecret\r\n--B x", "…me=\"password\"␍␊␍␊(…)", "(…)"
    ),
    ("--B\r\nContent-Disposition: form-data\r\n\r\nhunter22\r\n--B\nx", "…(…)␍␊--B", "␊(…)"),
    ("\n--B\r\n\(disposition)\"title\"\r\n\r\nx\r\n--B--\r\n", "…", "--B␍␊Content-Dis…"),
    ("--B\r\n\(disposition)\"n\"\r\n\r\n\(Fixture.apiAuthPassword)", "…(…)", ""),
  ])
  func `a multipart body that cannot be read is shown around the mistake`(
    body: String, before: String, after: String
  ) async throws {
    await send("multipart/form-data; boundary=B", RequestBody(Array(body.utf8)), to: "/api/signup")
    #expect(try newest().body.excerpt == Exchange.Excerpt(before: before, after: after))
  }

  @Test(arguments: [1_000, 65_536, 1 << 20])
  func `a part after a photo is shown from its boundary on`(size: Int) async throws {
    let token = try await newToken()
    let image = MultipartBody.file("image", filename: "photo", [UInt8](repeating: 7, count: 100_000))
    let whole = image + Array("--\(MultipartBody.boundary)\r\n\(disposition)\"title\r\n\r\nx\r\n".utf8)
    await send(
      MultipartBody.contentType, RequestBody(length: nil, source: PiecesBody(whole, sizes: [size])), token: token,
      to: "/api/upload_photo")
    let excerpt = Exchange.Excerpt(before: "…Content-Disposition: form-data; ", after: "name=\"title␍␊␍␊x…")
    #expect(try newest().body.excerpt == excerpt)
  }

  @Test(arguments: [
    ("application/json", "hunter2"), ("application/json", #"["secret" x]"#), ("application/json", "{}"),
    ("application/json", #"{"a":"\#(String(repeating: "a", count: 5_000))",}"#), ("application/json", "c2VjcmV0MTI="),
    ("application/json", "c2VjcmV0MQ=="), ("application/x-www-form-urlencoded", "hunter2%"),
    ("application/x-www-form-urlencoded", "a=%&b=\(String(repeating: "b", count: 5_000))"),
    ("multipart/form-data; boundary=B", "hunter2"), ("multipart/form-data; boundary=B", "--C\r\n\r\nhunter2\r\n--C--"),
  ])
  func `nothing is shown of other bodies`(type: String, body: String) async throws {
    await send(type, RequestBody(Array(body.utf8)), to: "/api/signup")
    #expect(try newest().body.excerpt == nil)
  }

  @Test func `a password that decrypts to more than a password is told from one that is right`() async throws {
    let once = Fixture.encrypted("secret12")
    // The first block of a text is the IV of the rest.
    let withIV = AESCrypt(password: Array(Fixture.apiAuthPassword.utf8)).encrypt(
      [UInt8](repeating: 200, count: AESCrypt.blockBytes) + Array("secret12".utf8))
    for (password, finding) in [
      (once, "decrypts: yes"), (Fixture.encrypted(once), "decrypts: yes, twice"),
      (withIV, "decrypts: yes, after an IV"), ("secret12", "decrypts: no"),
      (Fixture.encrypted("a password with umlauts: äöü"), "decrypts: yes"),
    ] {
      _ = try await fixture.api("POST", "signin", ["email": "a@example.com", "password": password])
      #expect(try newest()["password"] == finding)
    }
  }

  @Test func `a long path is recorded as far as a filter can name it, and why a query cannot be read`() async throws {
    #expect(await fixture.send("GET", "/pot?a=%zz").status == 404)
    #expect(try newest().queryProblem?.contains("%") == true)
    #expect(await fixture.send("GET", "/" + String(repeating: "a", count: 7_000)).status == 404)
    #expect(try newest().path == "/" + String(repeating: "a", count: 1_023) + "…")
  }

  @Test func `the control interface is not recorded, nor what is sent to another world`() async {
    _ = await fixture.send("GET", "/__admin/clock")
    _ = await fixture.send("GET", "/pot", world: "a")
    #expect(journal.count() == 0)
  }

  @Test func `a reset removes all`() async throws {
    _ = await fixture.send("GET", "/pot")
    #expect(journal.count() == 1)
    try await fixture.worlds.main.reset()
    #expect(journal.count() == 0 && journal.lastID == 1)
  }

  @Test(arguments: ["/", "/up", "/readyz", "//up/"])
  func `requests of monitors are ignored until a rule names their path`(path: String) async throws {
    let faults = fixture.worlds.main.faults
    let rules: [FaultRule] = [.status(503).times(1), .status(503).on("*").times(1), .status(503).on("/*").times(1)]
    try faults.add(rules)
    #expect(await fixture.send("GET", path).status == 200)
    #expect(faults.all.map(\.matched) == [0, 0, 0])
    #expect(journal.count() == 0)
    try faults.add(.status(418).on(path))
    #expect(await fixture.send("GET", path).status == 418)
    #expect(faults.all.map(\.fired) == [0, 0, 0, 1])
    #expect(journal.exchanges().map(\.status) == [418])
  }

  @Test func `a request that was in flight during a clearing is not recorded`() async {
    let world = fixture.worlds.main
    var recording = Recording(of: Request("GET", "/up"), in: world)
    journal.clear()
    recording.end(with: FaultyResponse(await world.application.respond(recording.request)))
    #expect(journal.count() == 0)
  }

  @Test func `a fault is recorded, and what the client sees of it`() async throws {
    let faults = fixture.worlds.main.faults
    let drop = try faults.add(.drop(.beforeAnswer).times(1))
    let busy = try faults.add(.status(503, fields: ["X-Error": "busy"]).times(1))
    let delay = try faults.add(.delay(.milliseconds(1)).times(1))
    for _ in 0..<4 { _ = await fixture.send("BREW", "/pot") }
    let exchanges = journal.exchanges()
    #expect(exchanges.map(\.fault) == [drop, busy, delay, nil])
    #expect(exchanges.map(\.status) == [nil, 503, 404, 404])
    #expect(exchanges.map(\.error) == [nil, "busy", nil, nil])
    #expect(exchanges.prefix(1).map { "\($0)" } == ["#1 BREW /pot -> no response (fault \(drop))"])
    var filter = ExchangeFilter.any
    filter.fault = busy
    #expect(journal.exchanges(matching: filter).map(\.id) == [2])
  }

  @Test func `a response is recorded with its fields and its text, but no picture`() async throws {
    let token = try await newToken()
    let signedIn = try #require(try newest().response)
    #expect(signedIn.fields.contains(Exchange.Field(name: "Content-Type", value: "application/json; charset=utf-8")))
    #expect(signedIn.text?.contains(#""api_authtoken":"(…)","authtoken_expiry":"20"#) == true, "\(signedIn)")
    let upload = await send(
      MultipartBody.contentType, RequestBody(MultipartBody.upload(Samples.png, title: "Me")), token: token,
      to: "/api/upload_photo")
    #expect(try newest().response?.text.map { Array($0.utf8) } == upload.body.content)
    let photo = try #require(upload.body.content.flatMap { try? JSONReader.read($0) })
    guard case .string(let address)? = photo[member: "image_url"] else { throw CancellationError() }
    #expect(await fixture.send("GET", String(address[address.firstRange(of: "/photos/")!.lowerBound...])).status == 200)
    let picture = try #require(try newest().response)
    #expect(picture.fields.contains(Exchange.Field(name: "Content-Type", value: "image/png")))
    #expect(picture.byteCount == Samples.png.count && picture.text == nil)
  }

  @Test func `a response is recorded as far as it was sent, and no more than 4096 bytes of its text`() async throws {
    let text = String(repeating: "é", count: 2_048)
    try fixture.worlds.main.faults.add(
      [text, text + "x", "x" + text, "x" + text + text].map { .status(418, text: $0).times(1) }
        + [.truncate(after: 9).times(1), .drop(.beforeAnswer).times(1)])
    for _ in 0..<6 { _ = await fixture.send("GET", "/pot") }
    _ = await fixture.send("HEAD", "/pot")
    let responses = journal.exchanges().map(\.response)
    #expect(responses.map(\.?.byteCount) == [4_096, 4_097, 4_097, 8_193, 9, nil, 0])
    let cut = "x\(text.dropLast())…"
    #expect(responses.map(\.?.text) == [text, "\(text)…", cut, cut, #"{"status""#, nil, ""])
  }

  @Test func `a long list is sent while it is read, so its text is not recorded`() async throws {
    let photos = (0..<300).map { #"{"title":"\#($0)","base64":"aGVsbG8="}"# }.joined(separator: ",")
    let seed = #"{"users":[{"email":"a@example.com","tokens":["long-list-token"],"photos":[\#(photos)]}]}"#
    #expect(await fixture.send("POST", "/__admin/seed", seed).status == 200)
    let fields = [("Host", "localhost"), ("Authorization", "Token token=long-list-token")]
    #expect(await fixture.send("GET", "/api/get_photos", fields: fields).status == 200)
    let response = try #require(try newest().response)
    #expect(response.byteCount == nil && response.text == nil && !response.fields.isEmpty)
  }

  private static func digest(of token: String) -> String { Digest.hex(Digest.sha256(Array(token.utf8))) }

  private func token(after path: String, _ letters: String) async throws -> Exchange.Token? {
    _ = await fixture.send(
      path.hasSuffix("refresh_token") ? "POST" : "GET", path,
      fields: [("Host", "localhost"), ("Authorization", "Token token=\(letters)")])
    return try newest().token
  }

  @Test func `a request is recorded with whose token it had, and whether that was valid`() async throws {
    let clock = fixture.worlds.main.clock
    let start = clock.time
    await fixture.seed(#"{"email":"ada@example.com","tokens":["ada-token"]}"#)
    let expiry = start + APISettings.defaults.tokenLifetime * 1000

    let valid = try await token(after: "/api/get_photos", "ada-token")
    #expect(
      valid
        == Exchange.Token(
          state: .valid, email: "ada@example.com", expiresAt: TestInstant(milliseconds: expiry),
          digest: Self.digest(of: "ada-token")))
    clock.apply(ClockChange(advance: .seconds(25 * 3600)))
    #expect(try await token(after: "/api/get_photos", "ada-token")?.state == .expired)
    // The token as it was when the request came: it is refreshed by it.
    #expect(try await token(after: "/api/refresh_token", "ada-token")?.state == .expired)
    #expect(try await token(after: "/api/get_photos", "ada-token")?.state == .refreshed)
    let unknown = try await token(after: "/api/get_photos", "nobody-has-this")
    #expect(
      unknown
        == Exchange.Token(state: .unknown, email: nil, expiresAt: nil, digest: Self.digest(of: "nobody-has-this")))
    _ = try await fixture.api("POST", "signin", ["email": "a@example.com"])
    let journal = await fixture.send("GET", "/__admin/requests")
    #expect(journal.text.contains(#""token":null"#))
    #expect(journal.text.contains(#""token":{"state":"refreshed","email":"ada@example.com","expires_at":""#))
    #expect(!journal.text.contains("ada-token") && !journal.text.contains("nobody-has-this"))
  }
}
