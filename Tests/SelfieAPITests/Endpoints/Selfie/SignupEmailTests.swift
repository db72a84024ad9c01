import APITestSupport
import Testing

@Suite struct SignupEmailTests {
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
}
