import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

@Suite(.eachDatabase) struct GetTokenPolicyTests {
  private static let target = "/api/get_token?email=jane@example.com"

  private static func target(password: String) -> String {
    let encrypted = APIFixture.encrypt(password).replacing("+", with: "%2B").replacing("=", with: "%3D")
    return "\(target)&password=\(encrypted)"
  }

  @Test func `the user's password can be asked for`() async throws {
    let api = try APIFixture { $0.getToken = .password }
    try await api.signUp()
    let without = await api.get(Self.target, as: .app)
    #expect(without.status == .badRequest)
    #expect(without.member("message") == "required parameters are missing")
    let wrong = await api.get(Self.target(password: "secret99"), as: .app)
    #expect(wrong.status == .unauthorized)
    #expect(wrong.fields["X-Error"] == "wrong_password")
    let right = await api.get(Self.target(password: APIFixture.password), as: .app)
    #expect(right.status == .ok)
    #expect(await api.isAccepted(try #require(right.member("api_authtoken"))))
  }

  @Test func `a tag does not stand in for the password`() async throws {
    let api = try APIFixture { $0.getToken = .password }
    try await api.signUp()
    let first = await api.get(Self.target(password: APIFixture.password), as: .app)
    let tag = try #require(first.fields["ETag"])
    let known = [(name: "If-None-Match", value: tag)]
    #expect(await api.get(Self.target, as: .app, fields: known).status == .badRequest)
    #expect(await api.get(Self.target(password: "secret99"), as: .app, fields: known).status == .unauthorized)
    let again = await api.get(Self.target(password: APIFixture.password), as: .app, fields: known)
    #expect(again.status == .notModified)
  }

  @Test func `it can be switched off`() async throws {
    let api = try APIFixture { $0.getToken = .off }
    try await api.signUp()
    let response = await api.get(Self.target(password: APIFixture.password), as: .app)
    #expect(response.status == .forbidden)
    #expect(response.fields["X-Error"] == "get_token_off")
    #expect(await api.get(Self.target).status == .unauthorized, "who has no API password is not told")
  }
}
