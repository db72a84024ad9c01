import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// What a user meets whom the owner has disabled.
@Suite struct DisabledAccountTests {
  private func setDisabled(_ isDisabled: Bool, _ api: APIFixture) async throws {
    _ = try await api.application.users.setDisabled(at: isDisabled ? api.clock.now : nil, of: "jane@example.com")
  }

  private func expectDisabled(_ response: Response, sourceLocation: SourceLocation = #_sourceLocation) {
    let message = "This account is disabled. Please ask the owner of the server."
    let (reason, challenge) = (response.fields["X-Error"], response.fields["WWW-Authenticate"])
    #expect(response.status == .forbidden && response.message == message, sourceLocation: sourceLocation)
    #expect(reason == "account_disabled" && challenge == nil, sourceLocation: sourceLocation)
  }

  @Test func `every address that takes a token refuses a disabled user's`() async throws {
    let (api, token) = try await APIFixture.withUser()
    let photo = try await api.newPhoto(token: token)
    try await setDisabled(true, api)
    for caller in [APIFixture.Caller.holder(of: token), .bearer(of: token)] {
      expectDisabled(await api.get("/api/get_photos", as: caller))
      expectDisabled(await api.send("DELETE", "/api/delete_photo", as: caller, ["photo_id": photo]))
      expectDisabled(await api.send("POST", "/api/refresh_token", as: caller, [:]))
      expectDisabled(await api.resetPassword(as: caller))
    }
    expectDisabled(await api.upload(token: token))
    #expect(try api.count("SELECT count(*) FROM photos") == 1)

    try await setDisabled(false, api)
    #expect(await api.isAccepted(token))
  }

  @Test func `a disabled user gets no token, and a wrong password is told first`() async throws {
    let (api, _) = try await APIFixture.withUser()
    try await setDisabled(true, api)
    expectDisabled(await api.attemptSignIn())
    expectDisabled(await api.getToken())
    #expect(await api.attemptSignIn(password: "secret99").status == .unauthorized)
    #expect(try api.count("SELECT count(*) FROM tokens") == 1)
  }

  @Test func `a disabled user's notes are refused, also with a password that was found right before`() async throws {
    let (api, _) = try await APIFixture.withUser()
    let client = NotesTests.Client(api: api)
    #expect(await client.list().status == .ok)
    try await setDisabled(true, api)
    let response = await client.list()
    expectDisabled(response)
    #expect(response.member("errors") == response.member("message"))
    #expect(await client.create("a", "b").status == .forbidden)
    try await setDisabled(false, api)
    #expect(await client.list().status == .ok)
  }
}
