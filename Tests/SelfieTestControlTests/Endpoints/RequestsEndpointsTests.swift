import Foundation
import TestSupport
import Testing

@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct RequestsEndpointsTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  /// Three exchanges: a signup that is fine, one that is not, and one of no address.
  private func exchanges() async throws {
    for _ in 0..<2 { _ = try await fixture.api("POST", "signup", Fixture.ada) }
    _ = await fixture.send("GET", "/pot?verbose=1")
  }

  private func ids(_ target: String) async -> [Int]? {
    (await fixture.send("GET", target)["requests"] as? [[String: Any]])?.compactMap { $0["id"] as? Int }
  }

  @Test func `the journal is listed, newest last`() async throws {
    try await exchanges()
    let response = await fixture.send("GET", "/__admin/requests")
    #expect(response.status == 200)
    #expect(response["matched"] as? Int == 3)
    #expect(response["last_id"] as? Int == 3)
    let second = try #require((response["requests"] as? [[String: Any]])?.dropFirst().first)
    #expect([second["id"], second["status"]] as? [Int] == [2, 400])
    #expect(
      [second["method"], second["path"], second["message"]] as? [String]
        == ["POST", "/api/signup", "email - has already been taken,"])
    #expect(second["error"] is NSNull && second["fault"] is NSNull)
    #expect((second["time"] as? String)?.hasSuffix("Z") == true)
    #expect(second["duration_milliseconds"] is Double)
    let body = try #require(second["body"] as? [String: Any])
    #expect(
      body["parameters"] as? [String: String] == [
        "email": "a@example.com", "password": "decrypts: yes", "full_name": "Ada",
      ])
    #expect(body["complete"] as? Bool == true)
  }

  @Test func `a long list is compressed for clients that can read that`() async throws {
    for _ in 0..<10 { try await exchanges() }
    let plain = await fixture.send("GET", "/__admin/requests")
    #expect(plain.fields["Content-Encoding"] == nil && plain.fields["Vary"] == "Accept-Encoding")
    let fields = [("Host", "localhost"), ("Accept-Encoding", "gzip, br")]
    let packed = await fixture.send("GET", "/__admin/requests", fields: fields)
    #expect(packed.fields["Content-Encoding"] == "gzip")
    #expect(packed.bytes.starts(with: [0x1f, 0x8b]) && packed.bytes.count * 4 < plain.bytes.count)
    let short = await fixture.send("GET", "/__admin/requests?limit=1", fields: fields)
    #expect(short.fields["Content-Encoding"] == nil)
  }

  @Test(arguments: [
    ("", [1, 2, 3]), ("?method=post", [1, 2]), ("?path=/api/*", [1, 2]), ("?status=200", [1]), ("?status=404", [3]),
    ("?since=1", [2, 3]),
    ("?limit=1", [3]), ("?limit=0", []), ("?parameters[email]=a@example.com&status=400", [2]),
    ("?parameters[verbose]=1", [3]), ("?fields[Content-Type]=application/json", [1, 2]), ("?error=none", []),
  ])
  func `a query filters the list`(query: String, ids: [Int]) async throws {
    try await exchanges()
    #expect(await self.ids("/__admin/requests\(query)") == ids)
  }

  @Test func `one is shown by its id, until all are cleared`() async throws {
    try await exchanges()
    #expect(await fixture.send("GET", "/__admin/requests/3")["query"] as? [String: String] == ["verbose": "1"])
    for id in ["4", "0", "x", "99999999999999999999"] {
      let response = await fixture.send("GET", "/__admin/requests/\(id)")
      #expect(response.status == 404)
      #expect(response.message.contains("no request with the id \(id)"))
    }
    #expect(await fixture.send("DELETE", "/__admin/requests")["removed"] as? Int == 3)
    #expect(await ids("/__admin/requests") == [])
  }

  @Test func `it counts and verifies`() async throws {
    try await exchanges()
    let filter = #""method":"POST","path":"/api/signup""#
    #expect(await fixture.send("POST", "/__admin/requests/count", "{\(filter)}")["matched"] as? Int == 2)
    #expect(await fixture.send("POST", "/__admin/requests/count")["matched"] as? Int == 3)
    for count in [#""exactly":2"#, #""at_least":1"#, #""at_most":2"#] {
      let response = await fixture.send("POST", "/__admin/requests/verify", "{\(filter),\(count)}")
      #expect(response.status == 200)
      #expect(response["matched"] as? Int == 2)
    }
    let tooMany = await fixture.send("POST", "/__admin/requests/verify", #"{\#(filter),"exactly":1}"#)
    #expect(tooMany.status == 422 && tooMany["status"] as? Int == 422 && tooMany["matched"] as? Int == 2)
    let none = await fixture.send("POST", "/__admin/requests/verify", #"{"path":"/api/sign_up","at_least":1}"#)
    let nearest = try #require((none["near"] as? [[String: Any]])?.first)
    #expect(nearest["path"] as? String == "/api/signup")
    #expect(nearest["differences"] as? [String] == ["the path is /api/signup"])
    let text = try #require(none["text"] as? String)
    #expect(text.hasPrefix("\(none.message)\nThe nearest are:\n"))
    let tooFew = await fixture.send("POST", "/__admin/requests/verify", #"{\#(filter),"exactly":3}"#)
    #expect((tooFew["text"] as? String)?.contains("They are:\n  #1 POST /api/signup -> 200\n  #2 POST") == true)
    #expect(text.contains("the path is /api/signup"))
  }

  @Test func `a mismatch tells why, and what else the test has changed`() async throws {
    #expect(await fixture.send("POST", "/__admin/clock", #"{"freeze":"2026-01-01T00:00:00Z"}"#).status == 200)
    let faults = #"{"faults":[{"path":"/pot","status":503,"count":2},{"path":"/no","delay":"1s","count":1}]}"#
    #expect(await fixture.send("POST", "/__admin/faults", faults).status == 200)
    _ = await fixture.send("GET", "/pot")
    #expect(try await fixture.api("POST", "signup", ["email": "Ada"]).status == 400)
    let filter = #"{"path":"/api/signup","parameters":{"email":"ada"},"exactly":1}"#
    let mismatch = await fixture.send("POST", "/__admin/requests/verify", filter)
    let nearest = try #require((mismatch["near"] as? [[String: Any]])?.first)
    #expect(nearest["differences"] as? [String] == [#"email is "Ada", not "ada""#])
    #expect(nearest["detail"] as? String == #"no "full_name" and no "password"; the body has "email""#)
    #expect(
      mismatch["circumstances"] as? [String] == [
        "The clock is frozen at 2026-01-01T00:00:00.000Z.",
        "Fault 1 for /pot has fired once, and can fire once more.",
        "Fault 2 for /no has not fired, and can fire once more.",
      ])
  }

  @Test func `a request is waited for`() async throws {
    let body = #"{"path":"/pot","count":2,"timeout":"20s"}"#
    async let waiting = fixture.send("POST", "/__admin/requests/wait", body)
    for _ in 0..<2 { _ = await fixture.send("GET", "/pot") }
    let response = await waiting
    #expect(response.status == 200)
    #expect(response["matched"] as? Int == 2)
    #expect((response["requests"] as? [Any])?.count == 2)
    let late = await fixture.send("POST", "/__admin/requests/wait", #"{"path":"/down","timeout":"1ms"}"#)
    #expect(late.status == 422)
    #expect(late.message.hasPrefix("Expected at least 1 request to /down within 0.001 seconds"))
    #expect(late["matched"] as? Int == 0)
    #expect((late["near"] as? [Any])?.count == 2)
  }

  @Test(arguments: [
    ("count", #"{"pth":"/up"}"#, "There is no pth here"), ("count", #"{"exactly":1}"#, "There is no exactly here"),
    ("count", #"{"path":"/up?a=1"}"#, "path must not have a query"),
    ("count", #"{"path":"/\#(String(repeating: "a", count: 1_024))"}"#, "path must have at most 1024 bytes"),
    (
      "verify", #"{"exactly":1,"parameters":{\#((0...64).map { #""\#($0)":"""# }.joined(separator: ","))}}"#,
      "parameters and fields can have at most 64 members together"
    ),
    ("count", #"{"status":99}"#, "status must be a whole number from 100 to 999"),
    ("count", #"{"parameters":{"a":[]}}"#, "parameters.a must be a string"),
    ("verify", #"{"path":"api/get_photos","exactly":0}"#, "path must begin with / or *"),
    ("verify", #"{"method":"GTE","exactly":0}"#, "method must be one that the server knows"),
    ("wait", #"{"method":"brew","path":""}"#, "path must begin with / or *"),
    (
      "count", #"{"parameters":{"a":{"like":"b"}}}"#,
      "parameters.a must be a string, a number, true or false, {\"contains\":"
    ),
    ("verify", #"{"order":[]}"#, "order must have 1 to 100 elements"),
    ("verify", #"{"order":[{"path":"/a"},{"path":"b"}]}"#, "order[1].path must begin with / or *"),
    ("verify", #"{"order":[{"pth":"/a"}]}"#, "There is no order[0].pth here"),
    ("verify", #"{"order":[{}],"exactly":1}"#, "There is no exactly here"),
    ("count", #"{"fields":["a"]}"#, "fields must be an object"),
    ("verify", "{}", "pass exactly, at_least or at_most"),
    ("verify", #"{"exactly":1,"at_most":2}"#, "pass exactly, at_least or at_most"),
    ("verify", #"{"exactly":-1}"#, "exactly must be a whole number from 0"),
    ("wait", #"{"timeout":"2m"}"#, "timeout must be from 0s to 60s"),
    ("wait", #"{"timeout":"-1s"}"#, "timeout must be from 0s to 60s"),
    ("wait", #"{"count":0}"#, "count must be a whole number from 1 to 1000"),
  ])
  func `invalid members are refused`(address: String, body: String, message: String) async {
    await fixture.expectRefusal(of: body, at: "requests/\(address)", message)
  }

  @Test func `a slow request is listed, counts, and is there once it has ended`() async throws {
    let fault = #"{"path":"/pot","delay":"60s"}"#
    #expect(await fixture.send("POST", "/__admin/faults", fault).status == 200)
    async let slow = fixture.send("GET", "/pot").status
    try await waitUntil { await self.fixture.send("POST", "/__admin/requests/count")["matched"] as? Int == 1 }
    for (count, status) in [("1", 200), ("0", 422), ("2", 422)] {
      let body = #"{"path":"/pot","exactly":\#(count)}"#
      #expect(await fixture.send("POST", "/__admin/requests/verify", body).status == status)
    }
    let list = await fixture.send("GET", "/__admin/requests?path=/pot&status=404")
    #expect((list["under_way"] as? [[String: Any]])?.map { $0["path"] as? String } == ["/pot"])
    #expect(list["matched"] as? Int == 0 && list["lost"] as? Int == 0)
    // Its delay ends while the check waits.
    async let check = fixture.send("POST", "/__admin/requests/verify", #"{"path":"/pot","status":404,"exactly":0}"#)
    try await waitUntil { fixture.worlds.main.journal.state.withLock { !$0.waiters.isEmpty } }
    #expect(await fixture.send("DELETE", "/__admin/faults").status == 200)
    #expect(await slow == 404)
    #expect(await check.status == 422)
  }

  @Test func `a check of more than is kept is refused, and so is a count`() async throws {
    let fixture = try Fixture(journalSize: 2)
    for path in ["/a", "/b", "/c"] { _ = await fixture.send("GET", path) }
    let advice = "2 requests are kept; 1 has gone. Clear the journal first, or raise JOURNAL_SIZE."
    let check = await fixture.send("POST", "/__admin/requests/verify", #"{"path":"/d","at_most":0}"#)
    #expect(check.status == 422 && check.message.hasSuffix("that cannot be told: \(advice)"))
    let count = await fixture.send("POST", "/__admin/requests/count", #"{"path":"/a"}"#)
    #expect(count.status == 409 && count.message == "The count cannot be told: \(advice)")
    #expect(await fixture.send("GET", "/__admin/requests")["lost"] as? Int == 1)
    await fixture.expectRefusal(of: #"{"count":3}"#, at: "requests/wait", "count must be a whole number from 1 to 2")
  }

  @Test func `requests are checked in the order in which they arrived`() async throws {
    for path in ["/a", "/b", "/c", "/a"] { _ = await fixture.send("GET", path) }
    func check(_ paths: String...) async -> Fixture.ControlResponse {
      let order = paths.map { #"{"path":"\#($0)"}"# }.joined(separator: ",")
      return await fixture.send("POST", "/__admin/requests/verify", #"{"order":[\#(order)]}"#)
    }
    for paths in [["/a"], ["/a", "/c"], ["/b", "/a"], ["/a", "/b", "/c", "/a"], ["*", "/b"]] {
      let order = paths.map { #"{"path":"\#($0)"}"# }.joined(separator: ",")
      let response = await fixture.send("POST", "/__admin/requests/verify", #"{"order":[\#(order)]}"#)
      #expect(response.status == 200 && response["matched"] as? Int == paths.count, "\(paths): \(response.text)")
    }
    let mismatch = await check("/a", "/c", "/b")
    #expect(mismatch.status == 422 && mismatch["matched"] as? Int == 2)
    let text = mismatch["text"] as? String ?? ""
    let sentence =
      "Expected request to /a, then request to /c, then request to /b, but there was no request to /b after #3 "
    #expect(text.hasPrefix(sentence + "GET /c -> 404"), "\(text)")
    for line in [": it came before #3", ": the path is /a"] { #expect(text.contains(line), "\(text)") }
    #expect(await check("/a", "/a", "/a").status == 422)
  }

  @Test func `a failed check names the worlds that have such requests`() async throws {
    _ = await fixture.send("GET", "/pot")
    for _ in 0..<2 { _ = await fixture.send("GET", "/pot", world: "b") }
    func circumstances(_ path: String, world: String?) async -> [String]? {
      let check = #"{"path":"\#(path)","exactly":1}"#
      let mismatch = await fixture.send("POST", "/__admin/requests/verify", world: world, check)
      return mismatch["circumstances"] as? [String]
    }
    #expect(
      await circumstances("/pot", world: "a") == [
        "Other worlds have such requests: 1 in world main, 2 in world b. Does the app send the field X-Test-World?"
      ])
    #expect(await circumstances("/pot", world: "b") == [])
    #expect(await circumstances("/none", world: "a") == [])
  }

  @Test func `a member that must be absent`() async throws {
    try await exchanges()
    for (filter, count) in [
      (#"{"parameters":{"verbose":null}}"#, 2), (#"{"fields":{"Authorization":null}}"#, 1),
      (#"{"parameters":{"email":"a@example.com","nick":null}}"#, 2),
    ] {
      #expect(await fixture.send("POST", "/__admin/requests/count", filter)["matched"] as? Int == count)
    }
    let check = #"{"path":"/pot","parameters":{"verbose":null},"exactly":1}"#
    let text = await fixture.send("POST", "/__admin/requests/verify", check)["text"] as? String
    #expect(text?.contains("1 request to /pot with no verbose, but there was none.") == true, "\(text ?? "")")
    #expect(text?.contains(#"verbose is "1""#) == true)
  }

  // MARK: - Events

  private func events(_ query: String, world: String? = nil, lastID: String? = nil) async -> Fixture.ControlResponse {
    let fields = [("Host", "localhost")] + (lastID.map { [("Last-Event-ID", $0)] } ?? [])
    return await fixture.send("GET", "/__admin/requests/events\(query)", world: world, fields: fields)
  }

  private func paths(_ response: Fixture.ControlResponse) throws -> [String] {
    try response.text.split(separator: "\n").filter { $0.hasPrefix("data: ") }.map { line in
      let json = try JSONSerialization.jsonObject(with: Data(line.dropFirst("data: ".utf8.count).utf8))
      return try #require((json as? [String: Any])?["path"] as? String)
    }
  }

  @Test func `a client of events gets what it has not seen yet, with the id to name next`() async throws {
    for path in ["/a", "/b", "/c"] { _ = await fixture.send("GET", path) }
    let all = await events("?since=0")
    #expect(all.fields["Content-Type"] == "text/event-stream")
    #expect(all.fields["Cache-Control"] == "no-store")
    #expect(try paths(all) == ["/a", "/b", "/c"])
    #expect(all.text.contains("\nid: 3\nevent: request\ndata: {"))
    #expect(try paths(await events("", lastID: "1")) == ["/b", "/c"])
    // A browser repeats the address, with what it has seen since in the field.
    #expect(try paths(await events("?since=0", lastID: "2")) == ["/c"])
  }

  @Test func `events wait for the next request of their world`() async throws {
    _ = await fixture.send("GET", "/__admin/clock", world: "other")
    _ = await fixture.send("GET", "/before", world: "other")
    async let response = events("", world: "other")
    try await waitUntil {
      try await fixture.worlds.world(named: "other").journal.state.withLock { !$0.waiters.isEmpty }
    }
    _ = await fixture.send("GET", "/elsewhere")
    _ = await fixture.send("GET", "/after", world: "other")
    #expect(try paths(await response) == ["/after"])
  }

  @Test func `waits end when the server stops, and the oldest of too many event streams ends`() async throws {
    let journal = fixture.worlds.main.journal
    await withTaskGroup { group in
      for _ in 0..<Journal.maxWaiters { group.addTask { [self] in await events("").status } }
      try? await waitUntil { journal.state.withLock { $0.waiters.count == Journal.maxWaiters } }
      group.addTask { [self] in await fixture.send("POST", "/__admin/requests/wait", #"{"timeout":"60s"}"#).status }
      #expect(await group.next() == 200)
      try? await waitUntil { journal.state.withLock { $0.waiters.count == Journal.maxWaiters } }
      fixture.worlds.endDelays()
      for await status in group { #expect(status == 503) }
    }
  }

  @Test(arguments: ["?since=x", "?since=-1", "?after=1"])
  func `invalid members of the query for events are refused`(query: String) async {
    #expect(await events(query).status == 400)
  }

  @Test func `line ends in what clients send do not end an event`() async throws {
    let hostile = "a\n\ndata: {\"path\":\"/forged\"}\n\n"
    _ = try await fixture.api("POST", "signin", ["email": hostile])
    let response = await events("?since=0")
    #expect(try paths(response) == ["/api/signin"])
  }
}
