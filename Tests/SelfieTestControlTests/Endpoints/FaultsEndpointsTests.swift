import APITestSupport
import Foundation
import HTTPMessages
import Platform
import SelfieTestControl
import SelfieTestDocuments
import Testing

@Suite(.timeLimit(.minutes(10))) struct FaultsEndpointsTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func faults(world: String? = nil) async throws -> [[String: Any]] {
    try #require(await fixture.send("GET", "/__admin/faults", world: world)["faults"] as? [[String: Any]])
  }

  @Test func `a rule changes responses until it is removed`() async throws {
    let added = await fixture.send(
      "POST", "/__admin/faults",
      """
      {"method":"POST","path":"/api/signin","status":503,"message":"Back in a minute.","fields":{"Retry-After":"60"}}
      """)
    #expect(added.status == 200)
    let id = try #require((added["ids"] as? [Int])?.first)
    let response = try await fixture.api("POST", "signin", ["email": "a@example.com"])
    #expect(response.status == 503 && response.message == "Back in a minute.")
    #expect(response.fields["Retry-After"] == "60")
    #expect(try await fixture.api("POST", "signup").status == 400)

    let rule = try #require(try await faults().first)
    #expect(rule["matched"] as? Int == 1 && rule["fired"] as? Int == 1 && rule["id"] as? Int == id)
    #expect(await fixture.send("DELETE", "/__admin/faults/\(id)")["removed"] as? Int == 1)
    #expect(await fixture.send("DELETE", "/__admin/faults/\(id)").status == 404)
    #expect(try await fixture.api("POST", "signin").status == 400)
  }

  @Test func `several are added and removed at once, in one world, and not for the control interface`() async throws {
    let body = #"{"faults":[{"status":501,"count":1},{"path":"*","status":502}]}"#
    #expect(await fixture.send("POST", "/__admin/faults", world: "a", body)["ids"] as? [Int] == [1, 2])
    #expect(await fixture.send("GET", "/photos/a", world: "a").status == 501)
    #expect(await fixture.send("GET", "/photos/a", world: "a").status == 502)
    #expect(await fixture.send("GET", "/photos/a").status == 404)
    #expect(try await faults().isEmpty)
    #expect(try await faults(world: "a").first?["remaining"] as? Int == 0)
    #expect(await fixture.send("DELETE", "/__admin/faults", world: "a")["removed"] as? Int == 2)
    #expect(await fixture.send("GET", "/photos/a", world: "a").status == 404)
  }

  @Test(arguments: [
    (#""status":503"#, FaultRule.status(503)), (#""status":400,"message":"no""#, .status(400, message: "no")),
    (
      #""status":422,"body":{"b":[1.50,null,true],"a":"<"}"#,
      .status(422, body: .object(["a": "<", "b": .array([.number("1.5"), .null, .bool(true)])]))
    ),
    (
      #""status":502,"text":"<h1>","fields":{"Content-Type":"text/html"}"#,
      .status(502, text: "<h1>", fields: ["Content-Type": "text/html"])
    ),
    (#""delay":"250ms""#, .delay(.milliseconds(250))), (#""delay":1.5"#, .delay(.milliseconds(1500))),
    (#""delay":{"from":"100ms","to":"2s"}"#, .delay(.milliseconds(100) ... .seconds(2))),
    (#""drop":"before_handling""#, .drop()), (#""drop":"before_answer""#, .drop(.beforeAnswer)),
    (#""drop":"in_body","delay":"1s""#, .drop(.inBody).delayed(by: .seconds(1))),
    (#""drip":{"bytes":10,"every":"50ms"}"#, .drip(bytes: 10, every: .milliseconds(50))),
    (#""truncate":{"bytes":100}"#, .truncate(after: 100)), (#""truncate":{"share":0.25}"#, .truncate(share: 0.25)),
    (#""malform":"status_line""#, .malform(.statusLine)), (#""malform":"field_line""#, .malform(.fieldLine)),
    (#""malform":"content_length""#, .malform(.contentLength)), (#""malform":"length_text""#, .malform(.lengthText)),
    (#""malform":"chunk""#, .malform(.chunk)), (#""malform":"body""#, .malform(.body)),
    (
      #""status":503,"where":{"parameters":{"photo_id":"3","page":null},"fields":{"User-Agent":{"contains":"iPad"}}}"#,
      .status(503).with(parameter: "photo_id", "3").with(parameter: "page", .absent)
        .with(field: "User-Agent", .contains("iPad"))
    ),
    (
      #""drop":"empty","where":{"user":"ada@example.com","token":"ada-token"}"#,
      .drop(.empty).of(user: "ada@example.com").of(token: "ada-token")
    ),
    (
      #""method":"GET","path":"/photos/*","share":0.5,"seed":7,"count":3,"status":404"#,
      .status(404).on("GET", "/photos/*").share(0.5, seed: 7).times(3)
    ),
  ])
  func `JSON says the same as Swift, and is listed so that it can be added again`(
    members: String, rule: FaultRule
  ) async throws {
    #expect(await fixture.send("POST", "/__admin/faults", "{\(members)}").status == 200)
    let faults = fixture.worlds.main.faults
    #expect(faults.all.map(\.rule) == [rule])
    var listed = try #require(try await self.faults().first)
    for name in ["id", "matched", "fired", "remaining"] { listed[name] = nil }
    let again = String(decoding: try JSONSerialization.data(withJSONObject: ["faults": [listed]]), as: UTF8.self)
    faults.removeAll()
    #expect(await fixture.send("POST", "/__admin/faults", again).status == 200)
    #expect(faults.all.map(\.rule) == [rule])
  }

  @Test(arguments: [
    ("", "Say what goes wrong"), (#"{"path":"/up"}"#, "Say what goes wrong"),
    (#"{"statu":503}"#, "There is no statu here"),
    (#"{"status":true}"#, "status must be a whole number"),
    (#"{"status":503,"drop":"before_answer"}"#, "status and drop"),
    (#"{"drop":"in_body","message":"x"}"#, "message requires status"),
    (#"{"status":500,"message":"x","text":"y"}"#, "message and text, which exclude each other"),
    (#"{"status":500,"fields":{"A":5}}"#, "fields.A"), (#"{"status":500,"path":"up"}"#, "path must begin"),
    (#"{"status":500,"seed":-1}"#, "seed must be"), (#"{"delay":"soon"}"#, "delay must be a duration"),
    (#"{"delay":{"from":"2s","to":"1s"}}"#, "the shorter one first"),
    (#"{"delay":{"from":"2s"}}"#, "delay.to is missing"),
    (#"{"status":503,"read":{"bytes":1,"every":"1s"}}"#, "read has no effect with status"),
    (#"{"drop":"before_handling","read":{"bytes":1,"every":"1s"}}"#, "read has no effect with status or drop"),
    (#"{"status":503,"path":"/__admin/*"}"#, "path is of the control interface"),
    (#"{"delay":{"from":"1s","to":"2s","by":1}}"#, "There is no delay.by here"),
    (#"{"drop":"later"}"#, "drop must be one of before_handling, before_answer, in_body, reset_in_body, empty"),
    (#"{"drop":1}"#, "drop must be a string"), (#"{"malform":"all"}"#, "malform must be one of status_line"),
    (#"{"drip":{"bytes":1}}"#, "drip.every is missing"), (#"{"read":{"bytes":0,"every":"1s"}}"#, "read.bytes must be"),
    (#"{"status":500,"skip":-1}"#, "skip must not be negative"),
    (#"{"truncate":{}}"#, "truncate must be"), (#"{"truncate":{"bytes":1,"share":0.5}}"#, "truncate must be"),
    (#"{"truncate":100}"#, "truncate must be an object"),
    (
      #"{"status":500,"where":{"path":"/"}}"#, "There is no where.path here. Possible members: parameters, fields, user"
    ),
    (#"{"status":500,"where":{"fields":{"A":[]}}}"#, "where.fields.A must be a string, a number"),
    (#"{"faults":[{"status":500},{"drop":"in_body","path":"x"}]}"#, "faults[1].path must begin"),
    (#"{"faults":[1]}"#, "faults[0] must be an object"), (#"{"faults":[],"status":500}"#, "There is no status here"),
  ])
  func `invalid members are refused`(body: String, message: String) async throws {
    await fixture.expectRefusal(of: body, at: "faults", message)
    #expect(fixture.worlds.main.faults.all.isEmpty)
  }

  /// What a rule asks for, and the request that it is for, as its query, its token and its body.
  @Test(arguments: [
    (#"{"parameters":{"photo_id":"2"}}"#, "?photo_id=2", "ada-1", ""),
    (#"{"parameters":{"photo_id":2}}"#, "", "ada-1", #"{"photo_id":2}"#),
    (#"{"parameters":{"user.name":{"contains":"d"}}}"#, "", "ada-1", #"{"user":{"name":"Ada"}}"#),
    (#"{"parameters":{"page":null}}"#, "", "ada-1", #"{"photo_id":2}"#),
    (#"{"token":"ada-1"}"#, "", "ada-1", ""), (#"{"user":"ada@example.com"}"#, "", "ada-2", ""),
    (#"{"fields":{"user-agent":{"contains":"iPad"}}}"#, "", "ada-1", ""),
  ])
  func `a rule may ask for parameters, fields, a token and its user`(
    condition: String, query: String, token: String, body: String
  ) async throws {
    await fixture.seed(
      #"{"email":"ada@example.com","tokens":["ada-1","ada-2"]}, {"email":"jo@example.com","tokens":["jo"]}"#)
    #expect(await fixture.send("POST", "/__admin/faults", #"{"status":418,"where":\#(condition)}"#).status == 200)
    func status(_ query: String, _ token: String, _ agent: String, _ body: String) async -> Int {
      let fields = [("Host", "localhost"), ("Authorization", "Token token=\(token)"), ("User-Agent", agent)]
      return await fixture.send("POST", "/api/pot\(query)", body, fields: fields).status
    }
    #expect(await status(query, token, "MyApp (iPad)", body) == 418)
    #expect(await status("?page=1&photo_id=3", "jo", "MyApp (iPhone)", #"{"photo_id":1}"#) == 404)
    let last = try #require(fixture.worlds.main.journal.exchanges().last)
    #expect(last["photo_id"] == "3" && last.body.byteCount == (condition.contains("parameters") ? 14 : 0))
  }

  @Test func `a rule that asks for a parameter lets other uploads pass whole`() async throws {
    await fixture.seed(#"{"email":"ada@example.com","tokens":["ada-token"]}"#)
    let fault = #"{"path":"/api/upload_photo","drop":"before_answer","where":{"parameters":{"title":"two"}}}"#
    #expect(await fixture.send("POST", "/__admin/faults", fault).status == 200)
    for (title, fault) in [("one", nil), ("two", 1), ("three", nil)] as [(String, Int?)] {
      let image = [UInt8](repeating: 7, count: 300_000)
      let head = Request(
        "POST", "/api/upload_photo",
        fields: [
          (name: "Host", value: "localhost"), (name: "Authorization", value: "Token token=ada-token"),
          (name: "Content-Type", value: MultipartBody.contentType),
        ]
      ).head
      let body = PiecesBody(MultipartBody.upload(image, title: title), sizes: [65_536])
      _ = await fixture.worlds.respond(
        Request(head: head, body: RequestBody(length: nil, source: body), peer: "127.0.0.1"))
      let exchange = try #require(fixture.worlds.main.journal.exchanges().last)
      #expect(exchange["title"] == title && exchange["image.byte_count"] == "300000" && exchange.fault == fault)
      #expect(exchange.body.complete && exchange.body.problem == nil)
    }
    let state = await fixture.send("GET", "/__admin/state?base64=false").text
    #expect(["one", "two", "three"].allSatisfy { state.contains("\"title\":\"\($0)\"") })
  }

  @Test func `a fault of connections begins, is replaced, and ends by itself`() async throws {
    let (switched, told) = AsyncStream.makeStream(of: ConnectionFault.Kind?.self)
    fixture.worlds.connectionFaults.setSwitch { fault in
      if fault == .expired { throw ConfigurationError("There is no certificate.") }
      told.yield(fault)
    }
    let address = "/__admin/faults/connections"
    for duration in ["60s", "50ms"] {
      let begun = await fixture.send("POST", address, world: "a", #"{"fault":"refused","for":"\#(duration)"}"#)
      try #require(begun.status == 200 && begun["fault"] as? String == "refused")
    }
    var switches = switched.makeAsyncIterator()
    for expected: ConnectionFault.Kind? in [.refused, .refused, nil] {
      #expect(await switches.next() == .some(expected))
    }
    // One that is not possible changes nothing.
    #expect(await fixture.send("POST", address, #"{"fault":"refused","for":"50ms"}"#).status == 200)
    await fixture.expectRefusal(
      of: #"{"fault":"expired","for":"60s"}"#, at: "faults/connections", "There is no certificate.")
    for expected: ConnectionFault.Kind? in [.refused, nil] { #expect(await switches.next() == .some(expected)) }
    #expect(await fixture.send("POST", address, #"{"fault":"refused","for":"60s"}"#).status == 200)
    #expect(await fixture.send("POST", address, #"{"fault":"refused","for":0}"#).status == 200)
    for expected: ConnectionFault.Kind? in [.refused, nil] { #expect(await switches.next() == .some(expected)) }
    // It is about no world, and makes none.
    #expect(fixture.worlds.names.isEmpty)
  }

  @Test(arguments: [
    ("POST", "reset", "a"), ("DELETE", "faults", "a"), ("DELETE", "worlds/a", nil), ("POST", "reset", nil),
    ("DELETE", "faults", nil), ("DELETE", "worlds", nil),
  ]) func `a fault of connections is listed, and ends with its test`(
    method: String, address: String, world: String?
  ) async throws {
    let faults = Monitor<[ConnectionFault.Kind?]>([])
    fixture.worlds.connectionFaults.setSwitch { fault in faults.withLock { $0.append(fault) } }
    #expect(await fixture.send("GET", "/__admin/clock", world: "a").status == 200)
    let fault = #"{"fault":"refused","for":"60s"}"#
    #expect(await fixture.send("POST", "/__admin/faults/connections", world: "a", fault).status == 200)
    // Those of another world are not its business.
    for (method, address) in [("POST", "reset"), ("DELETE", "faults"), ("DELETE", "worlds/b")] {
      let world = address.contains("worlds") ? nil : "b"
      #expect(await fixture.send(method, "/__admin/\(address)", world: world).status == 200)
    }
    for world in [nil, "b"] {
      let listed = await fixture.send("GET", "/__admin/faults", world: world)["connections"] as? [String: Any]
      #expect(listed?["fault"] as? String == "refused")
    }
    let mismatch = await fixture.send("POST", "/__admin/requests/verify", #"{"exactly":1}"#)
    let circumstances = mismatch["circumstances"] as? [String] ?? []
    #expect(circumstances.count == 1 && circumstances[0].hasPrefix("New connections are refused for another "))
    #expect(await fixture.send(method, "/__admin/\(address)", world: world).status == 200)
    #expect(faults.withLock(\.self) == [.refused, nil])
    #expect(await fixture.send("GET", "/__admin/faults")["connections"] == nil)
  }

  @Test(arguments: [
    (#"{"fault":"refused","for":"61s"}"#, "for must be a duration from 0s to 60s."),
    (#"{"fault":"refused","for":"-1s"}"#, "for must be a duration from 0s to 60s."),
    (#"{"fault":"refused"}"#, "for is missing"), (#"{"fault":"broken","for":"1s"}"#, "fault must be one of refused"),
    (#"{"fault":"refused","for":"1s","path":"/"}"#, "There is no path here"),
  ])
  func `a fault of connections that is invalid is refused`(body: String, message: String) async throws {
    fixture.worlds.connectionFaults.setSwitch { _ in Issue.record() }
    await fixture.expectRefusal(of: body, at: "faults/connections", message)
  }

  @Test(arguments: [
    ("/api/get_photos", #"{"status":503,"message":"Later."}"#),
    ("/notes.json", #"{"status":503,"message":"Later.","errors":"Later."}"#),
    ("/notes/1/edit", #"{"status":503,"message":"Later.","errors":"Later."}"#),
    ("/blogposts", #"{"status":"failed","message":"Later."}"#),
    ("/nowhere", #"{"status":503,"message":"Later."}"#),
  ])
  func `a status comes in the form of the app`(path: String, json: String) async {
    #expect(await fixture.send("POST", "/__admin/faults", #"{"status":503,"message":"Later."}"#).status == 200)
    #expect(await fixture.send("GET", path).text == json)
  }
}
