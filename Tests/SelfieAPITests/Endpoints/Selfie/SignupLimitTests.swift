import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// A hundred sign-ups within ten minutes, and a client has to wait.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct SignupLimitTests {
  private func signUp(_ api: APIFixture, _ name: String, from peer: String, password: String? = nil) async -> Response {
    let password = password ?? APIFixture.encrypt(APIFixture.password)
    let body = #"{"full_name":"Jane Doe","email":"\#(name)@example.com","password":"\#(password)"}"#
    return await api.send("POST", "/api/signup", as: .app, body: body, from: peer)
  }

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
}
