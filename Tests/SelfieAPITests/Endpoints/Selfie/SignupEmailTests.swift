import APITestSupport
import HTTPMessages
import Testing

@Suite struct SignupEmailTests {
  private func message(for email: String) async throws -> String? {
    let api = try APIFixture()
    let body = #"{"full_name":"Jo Smith","password":"\#(APIFixture.encrypt("secret12"))","email":\#(email)}"#
    let response = await api.application.respond(
      Request(
        "POST", "/api/signup", fields: APIFixture.Caller.app.fields + [("Content-Type", "application/json")],
        body: Array(body.utf8)))
    #expect(response.status == .badRequest)
    return response.message
  }

  @Test(arguments: ["{\"a\":1}", "{}", "[\"a@b.c\"]", "[1,2]"])
  func `a list or an object as an address is blank and invalid`(_ email: String) async throws {
    #expect(try await message(for: email) == "email - can't be blank,email - is invalid,")
  }

  @Test(arguments: ["1", "1.5", "12345678901234567890123", "true"])
  func `a number or a Boolean as an address is invalid only`(_ email: String) async throws {
    #expect(try await message(for: email) == "email - is invalid,")
  }

  @Test func `false as an address is a missing one`() async throws {
    #expect(try await message(for: "false") == "required parameters are missing")
  }
}
