import Foundation
import HTTPMessages
import Pages
import Platform
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieTestControl

/// The inspector's files, and who gets them.
@Suite struct InspectorTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private static let browser = [
    ("Host", "localhost:3000"), ("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
  ]

  @Test func `a browser gets the page, and a program the list of addresses as before`() async throws {
    let page = await fixture.send("GET", "/__admin/", fields: Self.browser)
    #expect(page.status == 200 && page.text.contains("<title>Inspector · selfie-server</title>"))
    #expect(page.fields["Vary"] == "Accept")
    let policy = try #require(page.fields["Content-Security-Policy"])
    #expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"))
    #expect(!policy.contains("unsafe"))
    let list = await fixture.send("GET", "/__admin/")
    #expect((list["addresses"] as? [String])?.contains("GET /__admin/clock") == true)
  }

  @Test func `all of its files are there, and no others`() async throws {
    #expect(PageFile.names(in: .inspector).contains("inspector.js"))
    for name in PageFile.names(in: .inspector) {
      let file = await fixture.send("GET", "/__admin/pages/\(name)")
      #expect(file.status == 200, "\(name)")
      #expect(file.text.utf8.count < 80_000, "\(name)")
      let tag = try #require(file.fields["ETag"])
      let again = await fixture.send(
        "GET", "/__admin/pages/\(name)", fields: [("Host", "localhost"), ("If-None-Match", tag)])
      #expect(again.status == 304 && again.text.isEmpty)
    }
    for name in ["home.html", "nothing.js", "..%2fpage.css", ""] {
      #expect(await fixture.send("GET", "/__admin/pages/\(name)").status == 404, "\(name)")
    }
  }

  @Test func `a picture in the inspector does not count as a request`() async throws {
    let seed = #"{"users":[{"email":"ada@example.com","photos":[{"title":"one","base64":"aGVsbG8="}]}]}"#
    let seeded = await fixture.send("POST", "/__admin/seed", world: "a", seed)
    let photos = (seeded["users"] as? [[String: Any]])?.first?["photos"] as? [[String: Any]]
    let id = try #require(photos?.first?["random_id"] as? String)
    #expect(await fixture.send("POST", "/__admin/faults", world: "a", #"{"status":503,"count":1}"#).status == 200)
    let picture = await fixture.send("GET", "/__admin/photos/\(id)")
    #expect(picture.status == 200)
    #expect(await fixture.send("POST", "/__admin/requests/verify", world: "a", #"{"exactly":0}"#).status == 200)
    #expect(await fixture.send("GET", "/photos/\(id)").status == 503)
    #expect(await fixture.send("GET", "/__admin/photos/..").status == 404)
  }

  @Test(arguments: ["", "worlds", "pages/inspector.js", "requests/events?since=0", "nothing", "photos/none"])
  func `browsers must not guess the type of a response`(path: String) async throws {
    _ = await fixture.send("GET", "/api/get_photos")
    #expect(await fixture.send("GET", "/__admin/\(path)").fields["X-Content-Type-Options"] == "nosniff")
  }

  @Test func `advice is given for errors that the API has`() async throws {
    let pool = WorkerPool(name: "pages", threads: 1, waiting: 1)
    let file = try await #require(PageFile("reasons.js", in: .inspector)).response(to: Request("GET", "/"), by: pool)
    let reasons = String(decoding: try #require(file.body.content), as: UTF8.self)
    let advised = reasons.matches(of: #/\n  ([a-z_]+): /#).map { String($0.1) }
    #expect(advised.count > 10)
    for name in advised { #expect(APIError.Reason(rawValue: name) != nil, "\(name)") }
  }
}
