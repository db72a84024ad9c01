import Testing

@Suite struct TokensEndpointTests {
  let fixture: Fixture

  init() throws { fixture = try Fixture() }

  private func seed() async {
    let seed = #"{"users":[{"email":"a@example.com","tokens":["a1","a2"]},{"email":"b@example.com","tokens":["b"]}]}"#
    #expect(await fixture.send("POST", "/__admin/seed", seed).status == 200)
  }

  /// How the API answers a token: 200, or which 401.
  private func answer(to token: String) async -> String {
    let answer = await fixture.send(
      "GET", "/api/get_photos", fields: [("Host", "localhost"), ("Authorization", "Token token=\(token)")])
    return answer.fields["X-Error"] ?? "\(answer.status)"
  }

  @Test func `a user's tokens expire, then everybody's`() async {
    await seed()
    let one = await fixture.send("POST", "/__admin/tokens/expire", #"{"email":"a@example.com"}"#)
    #expect(one["expired"] as? Int == 2)
    #expect(await [answer(to: "a1"), answer(to: "a2"), answer(to: "b")] == ["expired_token", "expired_token", "200"])
    #expect(await fixture.send("POST", "/__admin/tokens/expire")["expired"] as? Int == 1)
    #expect(await answer(to: "b") == "expired_token")
  }

  @Test func `a user's tokens are revoked, then everybody's`() async {
    await seed()
    let one = await fixture.send("POST", "/__admin/tokens/revoke", #"{"email":"a@example.com"}"#)
    #expect(one["revoked"] as? Int == 2)
    #expect(await [answer(to: "a1"), answer(to: "a2"), answer(to: "b")] == ["invalid_token", "invalid_token", "200"])
    #expect(await fixture.send("POST", "/__admin/tokens/revoke", "{}")["revoked"] as? Int == 1)
    #expect(await answer(to: "b") == "invalid_token")
  }

  @Test(arguments: [
    (#"{"email":"c@example.com"}"#, 404, "There is no user with the email c@example.com."),
    (#"{"email":null}"#, 400, "email must be a string; without it, everybody's tokens are meant."),
    (#"{"mail":"a@example.com"}"#, 400, "There is no mail here."), (#"{"email":5}"#, 400, "email must be a string."),
  ])
  func `what it does not understand is refused`(body: String, status: Int, message: String) async {
    await seed()
    for path in ["expire", "revoke"] {
      let answer = await fixture.send("POST", "/__admin/tokens/\(path)", body)
      #expect(answer.status == status)
      #expect(answer.message.hasPrefix(message), "\(answer.message)")
    }
    #expect(await answer(to: "a1") == "200")
    #expect(await fixture.send("POST", "/__admin/tokens/steal").status == 404)
    #expect(await fixture.send("GET", "/__admin/tokens/expire").status == 405)
  }
}
