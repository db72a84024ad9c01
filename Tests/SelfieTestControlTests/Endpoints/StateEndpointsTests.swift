import Testing

@Suite struct StateEndpointsTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func signIn() async throws -> Int {
    try await fixture.api("POST", "signin", ["email": "a@b.c", "password": Fixture.encrypted("secret12")]).status
  }

  @Test(arguments: ["PUT", "POST"])
  func `a test saves a world and goes back to it`(method: String) async throws {
    _ = await fixture.send("POST", "/__admin/clock", #"{"freeze":"2026-01-01T00:00:00Z"}"#)
    await fixture.seed(#"{"email":"a@b.c","tokens":["t"],"photos":[{}]}"#)
    let saved = await fixture.send(method, "/__admin/snapshots/one-user")
    #expect(
      saved.text.hasPrefix(
        #"{"name":"one-user","saved_at":"2026-01-01T00:00:00.000Z","users":1,"tokens":1,"photos":1,"#))
    #expect(await fixture.send("POST", "/__admin/reset").status == 200)
    #expect(try await signIn() == 400)

    let restored = await fixture.send("POST", "/__admin/snapshots/one-user/restore")
    #expect(restored.text == saved.text)
    #expect(try await signIn() == 200)
    let list = await fixture.send("GET", "/__admin/snapshots")
    #expect(list.text == #"{"snapshots":[\#(saved.text)],"most":100}"#)
    #expect(await fixture.send("GET", "/__admin/snapshots", world: "other").text == #"{"snapshots":[],"most":100}"#)

    #expect(await fixture.send("DELETE", "/__admin/snapshots/one-user").text == #"{"removed":"one-user"}"#)
    #expect(await fixture.send("POST", "/__admin/snapshots/one-user/restore").status == 404)
    #expect(await fixture.send("DELETE", "/__admin/snapshots/one-user").status == 404)
  }

  @Test(arguments: [
    ("PUT", "/a%2Fb", 400), ("PUT", "/a%20b", 400), ("PUT", "/.", 400), ("PUT", "/%2E%2E", 400), ("PUT", "/...", 200),
  ])
  func `an invalid name is refused`(method: String, path: String, status: Int) async {
    #expect(await fixture.send(method, "/__admin/snapshots\(path)").status == status)
  }

  // MARK: - Tokens

  private func seed() async {
    await fixture.seed(#"{"email":"a@example.com","tokens":["a1","a2"]},{"email":"b@example.com","tokens":["b"]}"#)
  }

  /// The status of a request with a token, or the reason why it was refused.
  private func outcome(of token: String) async -> String {
    let response = await fixture.photos(of: token)
    return response.fields["X-Error"] ?? "\(response.status)"
  }

  @Test(arguments: [("expire", "expired", "expired_token"), ("revoke", "revoked", "invalid_token")])
  func `a user's tokens end, then everybody's`(address: String, count: String, reason: String) async {
    await seed()
    let one = await fixture.send("POST", "/__admin/tokens/\(address)", #"{"email":"a@example.com"}"#)
    #expect(one[count] as? Int == 2)
    #expect(await [outcome(of: "a1"), outcome(of: "a2"), outcome(of: "b")] == [reason, reason, "200"])
    #expect(await fixture.send("POST", "/__admin/tokens/\(address)")[count] as? Int == 1)
    #expect(await outcome(of: "b") == reason)
  }

  @Test(arguments: [
    (#"{"email":"c@example.com"}"#, 404, "There is no user with the email address c@example.com."),
    (#"{"email":null}"#, 400, "email must be a string; leave it out for the tokens of all users."),
    (#"{"mail":"a@example.com"}"#, 400, "There is no mail here."), (#"{"email":5}"#, 400, "email must be a string."),
  ])
  func `invalid members are refused`(body: String, status: Int, message: String) async {
    await seed()
    for path in ["expire", "revoke"] {
      await fixture.expectRefusal(of: body, at: "tokens/\(path)", message, status: status)
    }
    #expect(await outcome(of: "a1") == "200")
  }
}
