import APITestSupport
import HTTPMessages
import Testing

@Suite struct SignupEmailTests {
  @Test(arguments: ["{\"a\":1}", "{}", "[\"a@b.c\"]", "[1,2]", "1", "true"])
  func `an address that is no string is blank and invalid`(_ email: String) async throws {
    let api = try APIFixture()
    let body = #"{"full_name":"Jo Smith","password":"\#(APIFixture.encrypt("secret12"))","email":\#(email)}"#
    let response = await api.application.respond(
      Request(
        "POST", "/api/signup", fields: APIFixture.Caller.app.fields + [("Content-Type", "application/json")],
        body: Array(body.utf8)))
    #expect(response.status == .badRequest)
    #expect(response.message == "email - can't be blank,email - is invalid,")
  }
}
