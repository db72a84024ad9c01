import APITestSupport
import Foundation
import HTTPMessages
import TestSupport
import Testing

@testable import SelfieAPI

/// Ten failures within three minutes, and a client that goes on guessing has to wait.
@Suite(.eachDatabase, .timeLimit(.minutes(5))) struct GuessingTests {
  /// A request with a wrong API password, from this address.
  private func wrongKey(_ api: APIFixture, from peer: String, forwarded: String? = nil) async -> Response {
    let fields = [("Authorization", "Basic bm9ib2R5Ondyb25n")] + (forwarded.map { [("X-Forwarded-For", $0)] } ?? [])
    return await api.send("GET", "/api/get_token?email=a", fields: fields, from: peer)
  }

  @Test func `an account cannot be guessed at without end`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    for _ in 0..<10 { #expect(await api.attemptSignIn(password: "secret99").status == .unauthorized) }
    let refused = await api.attemptSignIn()
    #expect(refused.status == .tooManyRequests)
    #expect(refused.fields["Retry-After"] == "180")
    #expect(refused.fields["X-Error"] == "too_many_attempts")
    let seconds = try #require(refused.fields["Retry-After"])
    #expect(refused.member("message") == "Too many failed attempts. Try again in \(seconds) seconds.")
    try await api.signUp("al@example.com")
    #expect(await api.attemptSignIn("al@example.com").status == .ok)
    api.clock.advance(seconds: 181)
    #expect(await api.attemptSignIn().status == .ok)
  }

  /// The statuses of as many sign-ins at once.
  private func signIns(_ count: Int, password: String = APIFixture.password, to api: APIFixture) async -> [Int] {
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<count {
        group.addTask { await api.attemptSignIn(password: password).status.code }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test func `many guesses at once are no way around it`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    let statuses = await signIns(100, password: "secret99", to: api)
    #expect(statuses.count { $0 == 401 } == 10)
    #expect(statuses.count { $0 == 429 } == 90)
  }

  @Test func `right passwords at once are not taken for guesses`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    for _ in 0..<10 {
      for _ in 0..<9 { #expect(await api.attemptSignIn(password: "secret99").status == .unauthorized) }
      #expect(Set(await signIns(20, to: api)) == [200])
    }
  }

  @Test func `resets are counted with the sign-ins, and success resets the count`() async throws {
    let (api, token) = try await APIFixture.withUser()
    for _ in 0..<5 { #expect(await api.attemptSignIn(password: "secret99").status == .unauthorized) }
    func reset() async -> Response { await api.resetPassword(from: "secret98", as: .holder(of: token)) }
    for _ in 0..<5 { #expect(await reset().status == .unauthorized) }
    let refused = await reset()
    #expect(refused.status == .tooManyRequests)
    api.clock.advance(seconds: 181)
    _ = try await api.signIn()
    for _ in 0..<10 { #expect(await api.attemptSignIn(password: "secret99").status == .unauthorized) }
  }

  @Test func `what does not decrypt is no guess`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    for _ in 0..<20 {
      let response = await api.send("POST", "/api/signin", as: .app, ["email": "jane@example.com", "password": "junk"])
      #expect(response.status == .unauthorized)
    }
    _ = try await api.signIn()
  }

  @Test func `an address that tries API passwords has to wait, another has not`() async throws {
    let api = try APIFixture()
    for _ in 0..<10 { #expect(await wrongKey(api, from: "198.51.100.7").status == .unauthorized) }
    #expect(await wrongKey(api, from: "198.51.100.7").status == .tooManyRequests)
    #expect(await wrongKey(api, from: "198.51.100.8").status == .unauthorized)
  }

  @Test func `behind a trusted proxy it is the client's address that counts`() async throws {
    let api = try APIFixture { $0.trustedProxies = TrustedProxies("127.0.0.1") ?? .none }
    for _ in 0..<10 {
      #expect(await wrongKey(api, from: "127.0.0.1", forwarded: "203.0.113.5").status == .unauthorized)
    }
    #expect(await wrongKey(api, from: "127.0.0.1", forwarded: "203.0.113.5").status == .tooManyRequests)
    #expect(await wrongKey(api, from: "127.0.0.1", forwarded: "203.0.113.6").status == .unauthorized)
  }

  @Test(arguments: ["signin", "get_token"])
  func `trying addresses for an account is limited for each client`(endpoint: String) async throws {
    let api = try APIFixture()
    try await api.signUp()
    func ask(_ email: String, from peer: String) async -> Response {
      let target = "/api/\(endpoint)?email=\(email)&password=x"
      return await api.send(endpoint == "signin" ? "POST" : "GET", target, as: .app, from: peer)
    }
    for number in 0..<10 { #expect(await ask("a\(number)@b.c", from: "198.51.100.7").status == .badRequest) }
    let refused = await ask("jane@example.com", from: "198.51.100.7")
    #expect(refused.status == .tooManyRequests)
    #expect(refused.fields["Retry-After"] == "180")
    #expect(await ask("a@b.c", from: "198.51.100.8").status == .badRequest)
  }

  @Test func `addresses are counted also if they come after all requests have begun`() async throws {
    let api = try APIFixture()
    let bodies = (0..<100).map { HeldBody(Array("email=a\($0)@b.c".utf8)) }
    let statuses = await withTaskGroup(of: Int.self) { group in
      for body in bodies {
        group.addTask {
          let fields = [("Content-Type", "application/x-www-form-urlencoded")]
          let head = APIFixture.request("GET", "/api/get_token", as: .app, fields: fields).head
          let request = Request(head: head, body: RequestBody(length: nil, source: body), peer: "198.51.100.7")
          return await api.application.respond(request).status.code
        }
      }
      for body in bodies { await body.reachesMiddle() }
      for body in bodies { body.goOn() }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let told = statuses.count { $0 == 400 }
    #expect(told == 10)
    #expect(statuses.count { $0 == 429 } == 100 - told)
  }

  @Test func `an address with an account and one without have the same limit`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    for email in ["jane@example.com", "nobody@example.com"] {
      for _ in 0..<10 { #expect(await api.attemptSignIn(email, password: "secret99").status != .tooManyRequests) }
      let refused = await api.attemptSignIn(email, password: "secret99")
      #expect(refused.status == .tooManyRequests)
      #expect(refused.fields["Retry-After"] == "180")
    }
  }

  @Test(.fileOnly) func `a clock that goes back locks nobody out`() async throws {
    let folder = try TemporaryFolder()
    let (clock, pools) = (SettableClock(), WorkerPools(cores: 1))
    var settings = APISettings(authName: APIFixture.authName, authPassword: APIFixture.authPassword)
    settings.passwordCost = 4
    let application = try Application(
      .folder(folder.path), settings: settings,
      in: ApplicationEnvironment(pools: pools, clock: { clock.now }, logger: LogRecorder().logger))
    defer {
      pools.shutDown()
      application.close()
    }
    func wrongKey() async -> Response {
      let fields = [(name: "Host", value: "h"), (name: "Authorization", value: "Basic bm9ib2R5Ondyb25n")]
      return await application.respond(Request("GET", "/api/get_token", fields: fields, peer: "198.51.100.7"))
    }
    for _ in 0..<10 { #expect(await wrongKey().status == .unauthorized) }
    clock.advance(seconds: -86_400)
    let refused = await wrongKey()
    #expect(refused.status == .tooManyRequests)
    #expect((refused.fields["Retry-After"].flatMap { Int($0) } ?? .max) <= 180)
  }

  @Test func `it can be switched off`() async throws {
    let api = try APIFixture { $0.limitsFailures = false }
    try await api.signUp()
    for _ in 0..<20 { #expect(await api.attemptSignIn(password: "secret99").status == .unauthorized) }
  }
}
