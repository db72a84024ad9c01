import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite(.timeLimit(.minutes(5))) struct EndedTokenTests {
  enum Ending: CaseIterable {
    case clearToken, resetPassword
  }

  private func end(_ token: String, by ending: Ending, in api: APIFixture) async throws {
    let response =
      switch ending {
      case .clearToken: await api.get("/api/clear_token", as: .holder(of: token))
      case .resetPassword:
        await api.send(
          "POST", "/api/reset_password", as: .holder(of: token),
          [
            "old_password": APIFixture.encrypt(APIFixture.password), "new_password": APIFixture.encrypt("another1"),
          ])
      }
    try #require(response.status == .ok, "\(response.text)")
  }

  @Test(arguments: Ending.allCases)
  func `an upload whose token is ended meanwhile is refused and leaves nothing`(_ ending: Ending) async throws {
    let api = try APIFixture()
    let token = try await api.newUser()
    let body = HeldBody(MultipartBody.upload(Samples.bytes(500_000), title: "me"))
    async let upload = api.upload(RequestBody(length: nil, source: body), token: token)
    await body.reachesMiddle()
    try await end(token, by: ending, in: api)
    body.goOn()

    let response = await upload
    #expect(response.status == .unauthorized)
    #expect(response.message == "HTTP Token: Access denied.")
    #expect(response.fields["X-Error"] == "invalid_token")
    #expect(response.fields["WWW-Authenticate"] == "Token realm=\"Application\"")
    #expect(try api.count("SELECT count(*) FROM photos") == 0)
    #expect(try api.folder.files(in: "photos") == [])
    #expect(try api.folder.files(in: "incoming") == [])
  }

  @Test func `an upload goes on while another token of the user is cleared, and while its own expires`() async throws {
    let api = try APIFixture { $0.tokenLifetime = 60 }
    let token = try await api.newUser()
    let other = try await api.signIn()
    let body = HeldBody(MultipartBody.upload(Samples.bytes(500_000), title: "me"))
    async let upload = api.upload(RequestBody(length: nil, source: body), token: token)
    await body.reachesMiddle()
    try await end(other, by: .clearToken, in: api)
    api.clock.advance(seconds: 60)
    body.goOn()

    #expect(await upload.status == .ok)
    #expect(try api.count("SELECT count(*) FROM photos") == 1)
  }
}
