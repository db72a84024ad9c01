import SQLite
import Testing

@testable import SelfieAPI

@Suite struct ResetEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  @Test func `a test begins anew`() async throws {
    let seed = #"{"users":[{"email":"a@example.com","tokens":["t"],"photos":[{},{}]},{"email":"b@example.com"}]}"#
    #expect(await fixture.send("POST", "/__admin/seed", seed).status == 200)
    #expect(await fixture.send("POST", "/__admin/clock", #"{"advance":"1h"}"#).status == 200)
    let response = await fixture.send("POST", "/__admin/reset")
    #expect(response.status == 200)
    #expect(
      response["removed"] as? [String: Int]
        == ["users": 2, "tokens": 1, "photos": 2, "notes": 0, "microblog_users": 0, "blogposts": 0])
    #expect(await fixture.send("GET", "/__admin/clock")["ahead_milliseconds"] as? Int == 0)

    let again = await fixture.send("POST", "/__admin/seed", seed)
    #expect((again["users"] as? [[String: Any]])?.map { $0["id"] as? Int } == [1, 2])
  }

  @Test func `other worlds stay as they are`() async throws {
    let seed = #"{"users":[{"email":"a@example.com"}]}"#
    for world in ["a", "b"] { #expect(await fixture.send("POST", "/__admin/seed", world: world, seed).status == 200) }
    #expect(await fixture.send("POST", "/__admin/reset", world: "a").status == 200)
    #expect(await fixture.send("POST", "/__admin/seed", world: "a", seed).status == 200)
    #expect(await fixture.send("POST", "/__admin/seed", world: "b", seed).status == 409)
  }

  @Test func `a full disk is told as such, and what makes room`() async throws {
    try await fixture.worlds.main.database.write { try $0.execute("PRAGMA max_page_count = 1") }
    let users = (0..<2000).map { #"{"email":"user\#($0)@example.com"}"# }.joined(separator: ",")
    let response = await fixture.send("POST", "/__admin/seed", #"{"users":[\#(users)]}"#)
    #expect(response.status == 507)
    #expect(response["status"] as? Int == 507)
    #expect(response.message.contains("POST /__admin/reset"))
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
  }

  @Test func `what it does not understand is refused`() async {
    #expect(await fixture.send("POST", "/__admin/reset", #"{"users":true}"#).status == 400)
    #expect(await fixture.send("GET", "/__admin/reset").fields["Allow"] == "POST")
    #expect(await fixture.send("POST", "/__admin/reset/all").status == 404)
  }
}
