import HTTPMessages
import Testing

@Suite struct ControlAccessTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  @Test(arguments: [
    ("127.0.0.1", "localhost:3000"), ("127.0.0.1", "127.0.0.1"), ("::1", "[::1]:3000"), ("127.0.0.9", "127.0.0.9:80"),
    ("::ffff:127.0.0.1", "localhost"),
  ])
  func `programs on the machine of a server that keeps nothing are let in`(peer: String, host: String) async {
    for path in ["/__admin", "/__admin/", "//__admin/"] {
      #expect(await fixture.send("GET", path, fields: [("Host", host)], peer: peer).status == 200)
    }
  }

  /// The peers and the fields of requests that do not come from a program on the machine.
  private static let others: [(String, [(String, String)])] = [
    ("192.168.1.9", [("Host", "localhost")]), ("127.0.0.1", [("Host", "selfies.example")]),
    ("127.0.0.1", [("Host", "127.0.0.1.selfies.example")]), ("127.0.0.1", [("Host", "localhost.selfies.example:3000")]),
    ("127.0.0.1", []), ("127.0.0.1", [("Host", "evil.example"), ("Authorization", Fixture.basic)]),
  ]

  /// Fields with which proxies forward requests.
  private static let forwarding: [(String, String)] = [
    ("X-Forwarded-For", "192.0.2.1"), ("x-forwarded-proto", "https"), ("X-Forwarded-Host", ""),
    ("X-Original-Forwarded-For", "192.0.2.1"), ("Forwarded", "for=192.0.2.1"), ("Via", "1.1 proxy"),
    ("X-Real-IP", "127.0.0.1"), ("True-Client-IP", "192.0.2.1"), ("cf-connecting-ip", "192.0.2.1"),
  ]

  @Test(arguments: others + forwarding.map { ("127.0.0.1", [("Host", "localhost"), $0]) })
  func `others need the credentials of the control interface`(peer: String, fields: [(String, String)]) async {
    var fields = fields
    let response = await fixture.send("GET", "/__admin/", fields: fields, peer: peer)
    #expect(response.status == 401)
    #expect(response.fields["WWW-Authenticate"] == "Basic realm=\"Control interface\"")
    #expect(response.message.contains("CONTROL_NAME and CONTROL_PASSWORD"))
    #expect(await fixture.send("GET", "/__admin/worlds")["worlds"] as? [String] == [])
    fields.removeAll { $0.0 == "Authorization" }
    fields.append(("Authorization", Fixture.control))
    #expect(await fixture.send("GET", "/__admin/", fields: fields, peer: peer).status == 200)
  }

  @Test func `a session that the owner's link has begun needs no credentials, but no page of another site has it`()
    async throws
  {
    let fixture = try Fixture(isOwners: { $0.head.fields[.cookie]?.elementsEqual("owner".utf8) == true })
    let browser = [("Host", "localhost:3000"), ("Cookie", "owner")]
    #expect(await fixture.send("GET", "/__admin/requests", fields: browser, peer: "172.17.0.1").status == 200)
    #expect(await fixture.send("GET", "/__admin/requests", fields: [browser[0]], peer: "172.17.0.1").status == 401)
    let foreign = browser + [("Origin", "https://evil.example")]
    #expect(await fixture.send("GET", "/__admin/requests", fields: foreign, peer: "172.17.0.1").status == 403)
  }

  @Test func `a request of HTTP 1.0, as nginx forwards them, needs the credentials too`() async {
    let local = [("Host", "127.0.0.1:3000")]
    #expect(await fixture.send("GET", "/__admin/", fields: local, version: .http10).status == 401)
    let known = local + [("Authorization", Fixture.control)]
    #expect(await fixture.send("GET", "/__admin/", fields: known, version: .http10).status == 200)
  }

  @Test(arguments: [nil, Fixture.basic, Fixture.basic("control", "wrong"), "Token token=t", "Basic ?", "Basic Og=="])
  func `a server that keeps data asks programs on its machine too`(authorization: String?) async throws {
    let fixture = try Fixture(isEphemeral: false)
    for path in ["/__admin/", "/__admin/state", "/__admin/nothing"] {
      var fields = [("Host", "localhost:3000")]
      if let authorization { fields.append(("Authorization", authorization)) }
      let response = await fixture.send("GET", path, world: "a", fields: fields)
      #expect(response.status == 401)
      #expect(response.fields["WWW-Authenticate"] == "Basic realm=\"Control interface\"")
    }
    #expect(fixture.worlds.names == [])
    let fields = [("Host", "selfies.example"), ("Authorization", Fixture.control)]
    #expect(await fixture.send("GET", "/__admin/state", world: "a", fields: fields, peer: "192.0.2.1").status == 200)
    #expect(fixture.worlds.names == ["a"])
  }

  @Test(arguments: [nil, Fixture.basic, Fixture.control])
  func `on a server that keeps data no request to the API makes a world`(authorization: String?) async throws {
    let fixture = try Fixture(isEphemeral: false)
    var fields = [("Host", "localhost:3000")]
    if let authorization { fields.append(("Authorization", authorization)) }
    let response = await fixture.send("POST", "/api/signin", world: "a", fields: fields)
    #expect(response.status == 401)
    #expect(response.message.contains("X-Test-World"))
    #expect(fixture.worlds.names == [])
  }

  @Test(arguments: [true, false])
  func `wrong credentials are looked at ten times in three minutes, wherever they come from`(
    isEphemeral: Bool
  ) async throws {
    let fixture = try Fixture(isEphemeral: isEphemeral)
    func ask(_ authorization: String, from peer: String) async -> Fixture.ControlResponse {
      await fixture.send(
        "GET", "/__admin/", fields: [("Host", "selfies.example"), ("Authorization", authorization)], peer: peer)
    }
    for number in 0..<10 {
      #expect(await ask(Fixture.basic("control", "\(number)"), from: "192.0.2.\(number)").status == 401)
      #expect(await ask(Fixture.control, from: "198.51.100.1").status == (number < 9 ? 200 : 429))
      fixture.real.advance(seconds: 1)
    }
    let refused = await ask(Fixture.control, from: "203.0.113.7")
    #expect(refused.status == 429)
    #expect(refused.fields["Retry-After"] == "170")
    #expect(refused.message.contains("Try again in 170 seconds."))
    #expect(await fixture.send("GET", "/__admin/").status == (isEphemeral ? 200 : 401))
    fixture.real.advance(seconds: 170)
    #expect(await ask(Fixture.control, from: "203.0.113.7").status == 200)
  }

  static let foreignPages = [
    ("Origin", "https://evil.example"), ("Origin", "http://localhost.evil.example:3000"), ("Origin", "null"),
    ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Site", "same-site"),
  ]

  @Test(arguments: foreignPages, [false, true])
  func `a page of another site is refused, whatever it knows`(field: (String, String), isAuthorized: Bool) async {
    var fields = [("Host", "localhost:3000"), (field.0, field.1)]
    if isAuthorized { fields.append(("Authorization", Fixture.control)) }
    fields.append(("Content-Type", "text/plain"))
    let response = await fixture.send("POST", "/__admin/seed", #"{"users":[{"email":"a@b.c"}]}"#, fields: fields)
    #expect(response.status == 403)
    #expect(response.message.contains("web pages of other sites"))
  }

  @Test(arguments: [
    [("Origin", "http://localhost:3000"), ("Sec-Fetch-Site", "same-origin")], [("Origin", "http://127.0.0.1:5173")],
    [("Sec-Fetch-Site", "none")], [("Origin", "https://selfies.example:18443"), ("Sec-Fetch-Site", "same-origin")],
  ])
  func `a page of this machine and an address that is typed are let in`(fields: [(String, String)]) async {
    let fields = [("Host", "localhost:3000")] + fields
    #expect(await fixture.send("GET", "/__admin/", fields: fields).status == 200)
  }

  @Test func `a world is made by those who know the credentials of the API, and used by all`() async {
    func respond(_ fields: [(String, String)]) async -> Fixture.ControlResponse {
      await fixture.send(
        "GET", "/api/get_token", world: "a", fields: [("Host", "selfies.example")] + fields, peer: "192.0.2.1")
    }
    func status(_ fields: [(String, String)]) async -> Int { await respond(fields).status }
    // Some clients wait to be asked for their credentials.
    let asked = await respond([])
    #expect(asked.status == 401 && asked.message.contains("X-Test-World"))
    #expect(asked.fields["WWW-Authenticate"] == "Basic realm=\"Application\"")
    #expect(await status([("Authorization", "Basic bm9ib2R5Om5vdGhpbmc=")]) == 401)
    #expect(await status([("Authorization", "Token token=t")]) == 401)
    #expect(fixture.worlds.names == [])
    #expect(await status([("Authorization", Fixture.basic)]) == 400)
    #expect(fixture.worlds.names == ["a"])
    let up = await fixture.send("GET", "/up", world: "a", fields: [("Host", "selfies.example")], peer: "192.0.2.1")
    #expect(up.status == 200)
  }

  @Test(arguments: [
    ("PUT", "/faults", "DELETE, GET, POST"), ("GET", "/faults/1", "DELETE"), ("GET", "/tokens/expire", "POST"),
    ("GET", "/snapshots/a", "DELETE, POST, PUT"), ("GET", "/snapshots/a/restore", "POST"),
    ("POST", "/snapshots", "GET"), ("GET", "/reset", "POST"), ("GET", "/nothing", nil), ("GET", "/clock/tower", nil),
    ("GET", "/worlds/a/b", nil), ("GET", "//", nil), ("GET", "/clock/", nil), ("GET", "/faults/1/2", nil),
    ("POST", "/tokens/steal", nil), ("POST", "/snapshots/a/resto", nil), ("POST", "/snapshots/a/restore/b", nil),
    ("POST", "/reset/all", nil),
  ])
  func `other addresses are not found, and other methods are refused`(
    method: String, path: String, allowed: String?
  ) async {
    let response = await fixture.send(method, "/__admin\(path)")
    #expect(response.status == (allowed == nil ? 404 : 405))
    #expect(response.fields["Allow"] == allowed)
    #expect(allowed != nil || response.message.contains("GET /__admin/ lists"))
  }

  @Test func `an empty name is none, and makes no other address`() async throws {
    try fixture.worlds.main.faults.add(.status(503))
    #expect(await fixture.send("POST", "/__admin/snapshots//restore").status == 404)
    #expect(await fixture.send("DELETE", "/__admin/faults/").status == 404)
    #expect(await fixture.send("DELETE", "/__admin/worlds/").status == 404)
    #expect(await fixture.send("POST", "/__admin/snapshots/").status == 400)
    #expect(fixture.worlds.main.snapshots.list.isEmpty)
    #expect(fixture.worlds.main.faults.all.count == 1)
    // A plus stays a plus.
    #expect(await fixture.send("DELETE", "/__admin/worlds/a+b").message == "There is no world named a+b.")
  }

  @Test func `members that are given twice, or to an address that takes none, are refused`() async {
    #expect(await fixture.send("POST", "/__admin/reset", #"{"users":true}"#).status == 400)
    #expect(await fixture.send("POST", "/__admin/clock", #"{"run":true,"run":false}"#).message.contains("twice: run."))
    let query = await fixture.send("GET", "/__admin/requests?path=/a&limit=1&%70ath=/b")
    #expect(query.status == 400)
    #expect(query.message == "path is given twice.")
    let fields = [("Host", "localhost"), ("X-Test-World", "a"), ("X-Test-World", "b")]
    let worlds = await fixture.send("GET", "/__admin/clock", fields: fields)
    #expect(worlds.status == 400)
    #expect(worlds.message.contains("several fields X-Test-World"))
    #expect(fixture.worlds.names.isEmpty)
  }
}
