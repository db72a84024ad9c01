import APITestSupport
import Foundation
import FoundationNetworking
import Testing

/// The sign-in of apps on Alamofire, which send Basic credentials only when asked for them, and forms.
@Suite(.timeLimit(.minutes(10))) struct AlamofireTests {
  private static let email = [("email", "jane@example.com")]
  private static let credentials = (user: APIFixture.authName, password: APIFixture.authPassword)

  private struct Tokens: Decodable {
    let api_authtoken: String
    let authtoken_expiry: String
  }

  @Test func `credentials are sent when the challenge has asked for them`() async throws {
    try await LocalServer.runWithUser { server, app in
      let loader = Loader(credentials: Self.credentials)
      let signin = try URLRequest(
        "POST", "\(server.origin)/api/signin", form: Self.email + [("password", app.encrypt("secret12"))])
      let (data, response) = try await loader.load(signin)
      #expect(response.statusCode == 200)
      #expect(loader.challenges == ["NSURLAuthenticationMethodHTTPBasic Application"])
      #expect(try JSONDecoder().decode(Tokens.self, from: data).api_authtoken.count == 24)

      let wrong = Loader(credentials: (user: Self.credentials.user, password: "guessed"))
      let (body, refusal) = try await wrong.load(
        try URLRequest("GET", "\(server.origin)/api/get_token", form: Self.email))
      #expect(refusal.statusCode == 401)
      #expect(refusal.fields["www-authenticate"] == "Basic realm=\"Application\"")
      #expect(wrong.challenges.count == 2)
      #expect(String(decoding: body, as: UTF8.self) == #"{"status":401,"message":"HTTP Basic: Access denied."}"#)
    }
  }
}
