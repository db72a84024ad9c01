import Testing

@Suite struct TokensEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

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
