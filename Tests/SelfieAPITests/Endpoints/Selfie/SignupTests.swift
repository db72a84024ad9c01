import APITestSupport
import Cryptography
import HTTPMessages
import SelfieTestControl
import SelfieTestDocuments
import Testing

@testable import SelfieAPI

/// Sign-ups: who may, how often, and with which addresses.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct SignupTests {
  private func signUp(_ api: APIFixture, _ name: String, from peer: String, password: String? = nil) async -> Response {
    let password = password ?? APIFixture.encrypt(APIFixture.password)
    let body = #"{"full_name":"Jane Doe","email":"\#(name)@example.com","password":"\#(password)"}"#
    return await api.send("POST", "/api/signup", as: .app, body: body, from: peer)
  }

  // MARK: - A hundred within ten minutes, and a client has to wait

  @Test func `a class can sign up behind one address, and more than that has to wait`() async throws {
    let api = try APIFixture()
    for number in 0..<100 { #expect(await signUp(api, "a\(number)", from: "198.51.100.7").status == .ok) }
    api.clock.advance(seconds: 60)
    let refused = await signUp(api, "b", from: "198.51.100.7")
    #expect(refused.status == .tooManyRequests)
    #expect(refused.fields["Retry-After"] == "540")
    #expect(refused.fields["X-Error"] == "too_many_signups")
    let seconds = try #require(refused.fields["Retry-After"])
    #expect(refused.message == "Too many sign-ups. Try again in \(seconds) seconds.")
    // Who tries again at once gains nothing.
    let runtime = try #require(refused.fields["X-Runtime"].flatMap { Double($0) })
    #expect(.seconds(runtime) >= APIFixture.refusalDelay)
    #expect(await signUp(api, "b", from: "198.51.100.8").status == .ok)
    api.clock.advance(seconds: 540)
    #expect(await signUp(api, "c", from: "198.51.100.7").status == .ok)
  }

  @Test func `a sign-up that only asks whether an address is taken counts too`() async throws {
    let api = try APIFixture()
    for _ in 0..<100 {
      #expect(await signUp(api, "jane", from: "198.51.100.7", password: "x").status == .badRequest)
    }
    #expect(await signUp(api, "jane", from: "198.51.100.7", password: "x").status == .tooManyRequests)
    // A client that may not sign up may still sign in.
    try await api.signUp()
    let signIn = await api.send("GET", "/api/get_token?email=jane@example.com", as: .app, from: "198.51.100.7")
    #expect(signIn.status == .ok)
  }

  @Test func `this machine is not limited, nor anybody where the limit is off`() async throws {
    let api = try APIFixture()
    for _ in 0..<110 { #expect(await signUp(api, "a", from: "127.0.0.1", password: "x").status == .badRequest) }
    let free = try APIFixture { $0.limitsSignups = false }
    for _ in 0..<110 { #expect(await signUp(free, "a", from: "192.0.2.1", password: "x").status == .badRequest) }
  }

  @Test(arguments: [
    (#"{"a":1}"#, "email - can't be blank,email - is invalid,"),
    ("[1,2]", "email - can't be blank,email - is invalid,"),
    ("12345678901234567890123", "email - is invalid,"), ("1.5", "email - is invalid,"), ("true", "email - is invalid,"),
    ("false", "required parameters are missing"),
  ])
  func `what is no text is no address`(_ email: String, _ message: String) async throws {
    let body = #"{"full_name":"Jo Smith","password":"\#(APIFixture.encrypt("secret12"))","email":\#(email)}"#
    let response = await (try APIFixture()).send("POST", "/api/signup", as: .app, body: body)
    #expect(response.status == .badRequest)
    #expect(response.message == message)
  }

  // MARK: - `SIGNUP=closed`

  private static let words = "This server takes no sign-ups. Ask its owner for an account."

  private func signUpJane(_ api: APIFixture, as caller: APIFixture.Caller) async -> Response {
    let password = APIFixture.encrypt(APIFixture.password)
    return await api.send(
      "POST", "/api/signup", as: caller, ["full_name": "Jane Doe", "email": "jane@example.com", "password": password])
  }

  @Test(.fileOnly) func `where the owner makes the accounts, an app is told so, and accounts that are there sign in`()
    async throws
  {
    let api = try APIFixture { $0.signup = .closed }
    let refused = await signUpJane(api, as: .app)
    #expect(refused.status == .forbidden)
    #expect(refused.text == #"{"status":403,"message":"\#(Self.words)"}"#)
    #expect(refused.fields["X-Error"] == "signup_closed")
    #expect(try api.count("SELECT count(*) FROM users") == 0)
    // A stranger learns nothing that it did not before.
    #expect(await signUpJane(api, as: .nobody).status == .unauthorized)
    _ = try await api.state.seed(Seed(users: [Seed.User(email: "jane@example.com", password: APIFixture.password)]))
    #expect(await api.isAccepted(try await api.signIn()))
    #expect(await api.get("/readyz").status == .ok)
  }

  @Test(.fileOnly) func `the Microblog app is told so too, in the form of its own errors`() async throws {
    let api = try APIFixture { $0.signup = .closed }
    let refused = await MicroblogTests.Client(api).register()
    #expect(refused.status == .forbidden)
    #expect(refused.text == #"{"status":"failed","message":"\#(Self.words)"}"#)
    #expect(try api.count("SELECT count(*) FROM microblog_users") == 0)
  }
}
