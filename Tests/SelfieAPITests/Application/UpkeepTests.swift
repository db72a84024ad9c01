import APITestSupport
import Testing

@testable import SelfieAPI

/// What is deleted because it is old, and by which clock.
@Suite(.eachDatabase) struct UpkeepTests {
  private static let year: Int64 = 365 * 86_400

  private func countTokens(_ api: APIFixture) async throws -> Int64 {
    try await api.number("SELECT count(*) FROM tokens")
  }

  @Test func `a start deletes nothing, and an hour later goes what was old at both times`() async throws {
    let (api, _) = try await APIFixture.withUser()
    api.clock.advance(seconds: Self.year)
    _ = try await api.signIn()
    try await api.application.upkeep.forgetExpired()
    #expect(try await countTokens(api) == 2)
    api.clock.advance(seconds: 3600)
    try await api.application.upkeep.forgetExpired()
    #expect(try await countTokens(api) == 1)
  }

  @Test(arguments: [true, false])
  func `a clock that is ahead for some seconds ends no device's right to refresh`(isSignIn: Bool) async throws {
    let (api, token) = try await APIFixture.withUser()
    api.clock.advance(seconds: 86_400)
    try await api.application.upkeep.forgetExpired()
    api.clock.advance(seconds: Self.year)
    // Then the newest time in the database is ahead, too.
    if isSignIn { _ = try await api.signIn() }
    try await api.application.upkeep.forgetExpired()
    api.clock.advance(seconds: -Self.year)
    try await api.application.upkeep.forgetExpired()
    #expect(await api.refresh(token).status == .ok)
  }
}
