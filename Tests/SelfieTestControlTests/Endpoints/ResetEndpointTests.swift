import SQLite
import Testing

@testable import SelfieAPI

@Suite struct ResetEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

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
