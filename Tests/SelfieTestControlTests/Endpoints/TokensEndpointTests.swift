import Testing

@Suite struct TokensEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func seed() async {
    let seed = #"{"users":[{"email":"a@example.com","tokens":["a1","a2"]},{"email":"b@example.com","tokens":["b"]}]}"#
    #expect(await fixture.send("POST", "/__admin/seed", seed).status == 200)
  }

  /// The status of a request with a token, or the reason why it was refused.
  private func outcome(of token: String) async -> String {
    let response = await fixture.send(
      "GET", "/api/get_photos", fields: [("Host", "localhost"), ("Authorization", "Token token=\(token)")])
    return response.fields["X-Error"] ?? "\(response.status)"
  }

  @Test func `a user's tokens expire, then everybody's`() async {
    await seed()
    let one = await fixture.send("POST", "/__admin/tokens/expire", #"{"email":"a@example.com"}"#)
    #expect(one["expired"] as? Int == 2)
    #expect(
      await [outcome(of: "a1"), outcome(of: "a2"), outcome(of: "b")] == ["expired_token", "expired_token", "200"])
    #expect(await fixture.send("POST", "/__admin/tokens/expire")["expired"] as? Int == 1)
    #expect(await outcome(of: "b") == "expired_token")
  }

  @Test func `a user's tokens are revoked, then everybody's`() async {
    await seed()
    let one = await fixture.send("POST", "/__admin/tokens/revoke", #"{"email":"a@example.com"}"#)
    #expect(one["revoked"] as? Int == 2)
    #expect(
      await [outcome(of: "a1"), outcome(of: "a2"), outcome(of: "b")] == ["invalid_token", "invalid_token", "200"])
    #expect(await fixture.send("POST", "/__admin/tokens/revoke", "{}")["revoked"] as? Int == 1)
    #expect(await outcome(of: "b") == "invalid_token")
  }

  @Test(arguments: [
    (#"{"email":"c@example.com"}"#, 404, "There is no user with the email c@example.com."),
    (#"{"email":null}"#, 400, "email must be a string; without it, everybody's tokens are meant."),
    (#"{"mail":"a@example.com"}"#, 400, "There is no mail here."), (#"{"email":5}"#, 400, "email must be a string."),
  ])
  func `what it does not understand is refused`(body: String, status: Int, message: String) async {
    await seed()
    for path in ["expire", "revoke"] {
      let response = await fixture.send("POST", "/__admin/tokens/\(path)", body)
      #expect(response.status == status)
      #expect(response.message.hasPrefix(message), "\(response.message)")
    }
    #expect(await outcome(of: "a1") == "200")
    #expect(await fixture.send("POST", "/__admin/tokens/steal").status == 404)
    #expect(await fixture.send("GET", "/__admin/tokens/expire").status == 405)
  }
}
