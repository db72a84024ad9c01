import APITestSupport
import Cryptography
import HTTPMessages
import SelfieTestControl
import Testing

@testable import SelfieAPI

/// `SIGNUP=closed`: only the owner makes accounts.
@Suite struct ClosedSignupTests {
  private static let words = "This server takes no sign-ups. Ask its owner for an account."

  private func signup(_ api: APIFixture, as caller: APIFixture.Caller) async -> Response {
    let password = APIFixture.encrypt(APIFixture.password)
    return await api.send(
      "POST", "/api/signup", as: caller, ["full_name": "Jane Doe", "email": "jane@example.com", "password": password])
  }

  @Test func `an app is told so in words, and no account is made`() async throws {
    let api = try APIFixture { $0.signup = .closed }
    let refused = await signup(api, as: .app)
    #expect(refused.status == .forbidden)
    #expect(refused.text == #"{"status":403,"message":"\#(Self.words)"}"#)
    #expect(refused.fields["X-Error"] == "signup_closed")
    #expect(try api.count("SELECT count(*) FROM users") == 0)
    // A stranger learns nothing that it did not before.
    #expect(await signup(api, as: .nobody).status == .unauthorized)
  }

  @Test func `the Microblog app is told so in the form of its own errors`() async throws {
    let api = try APIFixture { $0.signup = .closed }
    let refused = await MicroblogTests.Client(api).register()
    #expect(refused.status == .forbidden)
    #expect(refused.text == #"{"status":"failed","message":"\#(Self.words)"}"#)
    #expect(try api.count("SELECT count(*) FROM microblog_users") == 0)
  }

  @Test func `accounts that are there sign in, tests can seed others, and the server is ready`() async throws {
    let api = try APIFixture { $0.signup = .closed }
    _ = try await api.state.seed(Seed(users: [Seed.User(email: "jane@example.com", password: APIFixture.password)]))
    #expect(await api.isAccepted(try await api.signIn()))
    #expect(await api.get("/readyz").status == .ok)
  }
}
