import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct WorldEndpointsTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  @Test func `each name has an empty world, which is empty again after its end`() async throws {
    #expect(try await fixture.api("POST", "signup", Fixture.ada).status == 200)
    #expect(try await fixture.api("POST", "signup", world: "a", Fixture.ada).status == 200)
    #expect(try await fixture.api("POST", "signup", world: "a", Fixture.ada).status == 400)
    #expect(try await fixture.api("POST", "signin", world: "b", Fixture.ada).status == 400)
    #expect(await fixture.send("GET", "/__admin/worlds")["worlds"] as? [String] == ["a", "b"])
    #expect(await fixture.send("DELETE", "/__admin/worlds/a")["removed"] as? String == "a")
    #expect(await fixture.send("GET", "/__admin/worlds")["worlds"] as? [String] == ["b"])
    #expect(try await fixture.api("POST", "signup", world: "a", Fixture.ada).status == 200)
  }

  @Test func `the list tells what each world has, and for how long it was not used`() async throws {
    #expect(try await fixture.api("POST", "signup", world: "a", Fixture.ada).status == 200)
    #expect(await fixture.send("GET", "/__admin/clock", world: "b").status == 200)
    let details = try #require(await fixture.send("GET", "/__admin/worlds")["details"] as? [[String: Any]])
    #expect(details.map { $0["name"] as? String } == ["a", "b"])
    #expect(details.map { $0["users"] as? Int } == [1, 0] && details.map { $0["requests"] as? Int } == [1, 0])
    for world in details {
      let (age, idle) = (world["age_milliseconds"] as? Int ?? -1, world["idle_milliseconds"] as? Int ?? -1)
      #expect(idle >= 0 && age >= idle)
    }
  }

  @Test func `waiting in a world, or for a late response, ends with the world`() async throws {
    let rule = #"{"delay":"60s"}"#
    #expect(await fixture.send("POST", "/__admin/faults", world: "a", rule).status == 200)
    let world = try await fixture.worlds.world(named: "a")
    async let late = fixture.send("GET", "/api/get_photos", world: "a").status
    async let waiting = fixture.send("POST", "/__admin/requests/wait", world: "a", #"{"path":"/no","timeout":"60s"}"#)
    try await waitUntil { world.journal.state.withLock { !$0.waiters.isEmpty } && world.faults.all.first?.fired == 1 }
    #expect(try await fixture.worlds.remove("a"))
    #expect(await late == 401)
    #expect(await waiting.status == 503)
  }

  @Test func `worlds that are ended again and again respond to all requests`() async throws {
    #expect(await fixture.send("GET", "/__admin/state", world: "a").status == 200)
    let statuses = await withTaskGroup(of: (method: String, status: Int).self) { group in
      for number in 0..<200 {
        group.addTask { [fixture] in
          number % 10 == 0
            ? ("DELETE", await fixture.send("DELETE", "/__admin/worlds/a").status)
            : ("GET", await fixture.send("GET", "/__admin/state", world: "a").status)
        }
      }
      return await group.reduce(into: [String: [Int]]()) { $0[$1.method, default: []].append($1.status) }
    }
    // A request makes the world that it does not find.
    #expect(statuses["GET"]?.count == 180)
    #expect(statuses["GET"]?.allSatisfy { $0 == 200 } == true)
    #expect(statuses["DELETE"]?.allSatisfy { $0 == 200 } == true)
  }

  @Test func `a world that was never used can be ended`() async {
    let ended = await fixture.send("DELETE", "/__admin/worlds/ghost", world: "ghost")
    #expect(ended.status == 200 && ended["removed"] as? String == "ghost")
  }

  @Test func `what is about worlds makes none`() async {
    _ = await fixture.send("DELETE", "/__admin/worlds/ghost", world: "ghost")
    #expect(await fixture.send("GET", "/__admin/", world: "ghost").status == 200)
    #expect(await fixture.send("GET", "/__admin/worlds", world: "ghost")["worlds"] as? [String] == [])
  }

  @Test func `among photos of equal ids the main world's comes first, then the others by name`() async throws {
    let id = String(repeating: "a", count: 41)
    func seed(_ name: String?) -> String {
      let bytes = Data((name ?? "main").utf8).base64EncodedString()
      return #"{"users":[{"email":"a@b.c","photos":[{"random_id":"\#(id)","base64":"\#(bytes)"}]}]}"#
    }
    func photo() async -> Int64? {
      await fixture.worlds.respond(Request("GET", "/photos/\(id)", fields: [("Host", "localhost")])).body.length
    }
    let names = ["bb", nil, "dddddd", "a"] + (0..<8).map { "e\($0)-long-name" }
    for name in names {
      #expect(await fixture.send("POST", "/__admin/seed", world: name, seed(name)).status == 200)
    }
    #expect(await photo() == 4)
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
    #expect(await photo() == 1)
    #expect(await fixture.send("DELETE", "/__admin/worlds/a").status == 200)
    #expect(await photo() == 2)
  }

  @Test func `the number of worlds is limited`() async throws {
    await withTaskGroup { group in
      for number in 0..<Worlds.maxCount {
        group.addTask { await fixture.send("GET", "/__admin/clock", world: "world-\(number)").status }
      }
      for await status in group { #expect(status == 200) }
    }
    let refused = await fixture.send("GET", "/__admin/clock", world: "another")
    #expect(refused.status == 429)
    #expect(refused.message.contains("X-Test-World: another;evict"))
    #expect(await fixture.send("DELETE", "/__admin/worlds/world-7").status == 200)
    #expect(await fixture.send("GET", "/__admin/clock", world: "another").status == 200)
    #expect(await fixture.send("GET", "/__admin/clock", world: "third;evict").status == 200)
    let names = try #require(await fixture.send("GET", "/__admin/worlds")["worlds"] as? [String])
    #expect(names.count == Worlds.maxCount && names.contains("another") && names.contains("third"))
    #expect((await fixture.send("DELETE", "/__admin/worlds")["removed"] as? [String]) == names)
    #expect(await fixture.send("GET", "/__admin/worlds")["worlds"] as? [String] == [])
  }

  @Test func `worlds that were not used for an hour make room, and none in use does`() async throws {
    for number in 0..<Worlds.maxCount { _ = try await fixture.worlds.world(named: "world-\(number)") }
    let used = try await fixture.worlds.world(named: "world-7")
    #expect(used.begin())
    fixture.idle.withLock { $0 = Worlds.maxIdle - 60_000 }
    #expect(await fixture.send("GET", "/__admin/clock", world: "early").status == 429)
    fixture.idle.withLock { $0 = Worlds.maxIdle }
    #expect(await fixture.send("GET", "/__admin/clock", world: "world-0").status == 200)
    for number in 0..<Worlds.maxCount - 2 {
      try #require(await fixture.send("GET", "/__admin/clock", world: "late-\(number)").status == 200)
    }
    #expect(fixture.worlds.exists("world-7") && fixture.worlds.exists("world-0") && !fixture.worlds.exists("world-1"))
    #expect(fixture.worlds.names.count == Worlds.maxCount)
    used.end()
  }

  @Test(arguments: ["a b", "ä", "a/b", "", ".", "..", String(repeating: "a", count: 65)])
  func `other names are refused`(name: String) async {
    let response = await fixture.send("GET", "/__admin/clock", world: name)
    #expect(response.status == 400)
    #expect(response.message.contains("X-Test-World"))
  }

  // MARK: - The clock

  @Test func `the clock can be frozen at an instant, and runs on from there`() async throws {
    let frozen = await fixture.send("POST", "/__admin/clock", #"{"freeze":"2026-01-01T00:00:00Z"}"#)
    #expect(frozen["now"] as? String == "2026-01-01T00:00:00.000Z")
    #expect(frozen["frozen"] as? Bool == true)
    fixture.real.advance(milliseconds: 5000)
    #expect(await fixture.send("GET", "/__admin/clock")["now"] as? String == "2026-01-01T00:00:00.000Z")
    #expect(await fixture.send("POST", "/__admin/clock", #"{"run":true,"advance":1.5}"#).status == 200)
    fixture.real.advance(milliseconds: 500)
    #expect(await fixture.send("GET", "/__admin/clock")["now"] as? String == "2026-01-01T00:00:02.000Z")
    #expect(await fixture.send("POST", "/__admin/clock", #"{"reset":true}"#)["ahead_milliseconds"] as? Int == 0)
  }

  @Test func `at the end of 9999 a token expires in a year of four digits, which apps can read`() async throws {
    #expect(await fixture.send("POST", "/__admin/clock", #"{"freeze":"9999-12-31T23:59:59Z"}"#).status == 200)
    #expect(try await fixture.api("POST", "signup", Fixture.ada).status == 200)
    let session = try await fixture.api("POST", "signin", Fixture.ada)
    #expect(session["authtoken_expiry"] as? String == "9999-12-31T23:59:59.999Z")
    let token = try #require(session["api_authtoken"] as? String)
    #expect(await fixture.photos(of: token).status == 200)
  }

  @Test func `a wait after too many wrong passwords follows the clock forward, and not back`() async throws {
    func signIn(_ password: String) async throws -> Int {
      try await fixture.api(
        "POST", "signin", ["email": "jane@example.com", "password": Fixture.encrypted(password)]
      ).status
    }
    await fixture.seed(#"{"email":"jane@example.com","password":"secret12"}"#)
    for _ in 0..<10 { #expect(try await signIn("wrong123") == 401) }
    #expect(try await signIn("secret12") == 429)
    #expect(await fixture.send("POST", "/__admin/clock", #"{"advance":"-24h"}"#).status == 200)
    #expect(try await signIn("secret12") == 429)
    #expect(await fixture.send("POST", "/__admin/clock", #"{"advance":"3m"}"#).status == 200)
    #expect(try await signIn("secret12") == 200)
  }

  @Test(arguments: [
    ("", "Say what the clock is to do"), ("{}", "Say what the clock is to do"),
    (#"{"advance":"25 hours"}"#, #"advance must be a duration such as "250ms""#),
    (#"{"advance":true}"#, "advance must be a duration"), (#"{"freez":true}"#, "There is no freez here"),
    (#"{"freeze":"yesterday"}"#, "freeze must be an instant"), (#"{"freeze":true,"run":true}"#, "not both"),
    (#"{"set":5}"#, "set must be an instant"), ("[1]", "must be a JSON object"), ("{", "is not valid JSON"),
  ])
  func `invalid members of the clock are refused`(body: String, message: String) async {
    await fixture.expectRefusal(of: body, at: "clock", message)
    #expect(await fixture.send("GET", "/__admin/clock")["ahead_milliseconds"] as? Int == 0)
  }
}
