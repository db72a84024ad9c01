import APITestSupport
import Foundation
import FoundationNetworking
import Testing

/// The flows of apps on Alamofire: Basic credentials only when asked for them, forms and queries, Bearer tokens.
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

  @Test func `a Bearer token is as good as a Token, and is refreshed when X-Error says that it has expired`()
    async throws
  {
    try await LocalServer.runWithUser { server, app in
      let selfie = try await app.postBtnTapped()
      let loader = Loader(credentials: Self.credentials)
      func send(_ method: String, _ path: String, _ form: [(String, String)] = [], bearer token: String?) async throws
        -> HTTPURLResponse
      {
        let request = try URLRequest(
          method, "\(server.origin)/api/\(path)", form: form, fields: ["Authorization": "Bearer \(token ?? "")"])
        return try await loader.load(request).1
      }
      #expect(try await send("GET", "get_photos", bearer: app.token).statusCode == 200)
      let deleted = try await send("DELETE", "delete_photo", [("photo_id", selfie.id)], bearer: app.token)
      #expect(deleted.statusCode == 200)
      #expect(try await app.loadSelfieData().isEmpty)

      server.clock.advance(seconds: 86_400)
      let expired = try await send("GET", "get_photos", bearer: app.token)
      #expect(expired.statusCode == 401 && expired.fields["x-error"] == "expired_token")
      let (data, _) = try await loader.load(try URLRequest("GET", "\(server.origin)/api/get_token", form: Self.email))
      let new = try JSONDecoder().decode(Tokens.self, from: data).api_authtoken
      #expect(try await send("GET", "get_photos", bearer: new).statusCode == 200)
    }
  }
}
