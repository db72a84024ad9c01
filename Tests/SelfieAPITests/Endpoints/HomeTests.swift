import APITestSupport
import HTTPMessages
import Testing

@Suite struct HomeTests {
  @Test func `the page is sent once to a browser that keeps it`() async throws {
    let api = try APIFixture()
    let tag = try #require(await api.get("/").fields["ETag"])
    for known in [tag, "W/\(tag)", "\"a\", \(tag)", "*"] {
      let response = await api.get("/", fields: [("If-None-Match", known)])
      #expect(response.status == .notModified)
      #expect(response.content.isEmpty)
      #expect(response.fields["ETag"] == tag)
    }
    #expect(await api.get("/", fields: [("If-None-Match", "\"a\"")]).status == .ok)
  }
}
