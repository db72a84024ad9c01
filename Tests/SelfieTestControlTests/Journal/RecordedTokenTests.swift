import Foundation
import SelfieAPI
import SelfieTestDocuments
import Testing

@testable import SelfieTestControl

/// What the journal says of the token of a request.
@Suite struct RecordedTokenTests {
  private func token(of fixture: Fixture, after path: String, _ letters: String) async throws -> Exchange.Token? {
    _ = await fixture.send(
      path.hasSuffix("refresh_token") ? "POST" : "GET", path,
      fields: [("Host", "localhost"), ("Authorization", "Token token=\(letters)")])
    let journal = fixture.worlds.main.journal
    return try #require(journal.exchange(journal.lastID)).token
  }

  @Test func `it says whose token it was, and whether it was valid`() async throws {
    let fixture = try Fixture()
    let clock = fixture.worlds.main.clock
    let start = clock.time
    await fixture.seed(#"{"email":"ada@example.com","tokens":["ada-token"]}"#)
    let expiry = start + APISettings.defaults.tokenLifetime * 1000

    let valid = try await token(of: fixture, after: "/api/get_photos", "ada-token")
    #expect(
      valid == Exchange.Token(state: .valid, email: "ada@example.com", expiresAt: TestInstant(milliseconds: expiry)))
    clock.apply(ClockChange(advance: .seconds(25 * 3600)))
    #expect(try await token(of: fixture, after: "/api/get_photos", "ada-token")?.state == .expired)
    // The token as it was when the request came: it is refreshed by it.
    #expect(try await token(of: fixture, after: "/api/refresh_token", "ada-token")?.state == .expired)
    #expect(try await token(of: fixture, after: "/api/get_photos", "ada-token")?.state == .refreshed)
    let unknown = try await token(of: fixture, after: "/api/get_photos", "nobody-has-this")
    #expect(unknown == Exchange.Token(state: .unknown, email: nil, expiresAt: nil))
    _ = try await fixture.api("POST", "signin", ["email": "a@example.com"])
    let journal = await fixture.send("GET", "/__admin/requests")
    #expect(journal.text.contains(#""token":null"#))
    #expect(journal.text.contains(#""token":{"state":"refreshed","email":"ada@example.com","expires_at":""#))
    #expect(!journal.text.contains("ada-token") && !journal.text.contains("nobody-has-this"))
  }
}
