import APITestSupport
import Foundation
import FoundationNetworking
import Testing

/// The flows of apps on Alamofire: Basic credentials only when asked for them, forms and queries, Bearer tokens.
@Suite(.timeLimit(.minutes(10))) struct AlamofireTests {
  private static let email = "jane@example.com"
  private static let credentials = (user: APIFixture.authName, password: APIFixture.authPassword)

  private struct Tokens: Decodable {
    let api_authtoken: String
    let authtoken_expiry: String
  }

  private struct Refusal: Decodable {
    let status: Int
    let message: String
  }

  /// A request as `URLEncoding.default` makes it: parameters in the query, or in the body of a POST.
  private func request(
    _ method: String, _ address: String, _ parameters: [String: String] = [:], bearer token: String? = nil
  ) throws -> URLRequest {
    var components = try #require(URLComponents(string: address))
    let unreserved = CharacterSet.alphanumerics.union(CharacterSet(charactersIn: "-._~"))
    let encoded = try parameters.map { name, value in
      "\(name)=\(try #require(value.addingPercentEncoding(withAllowedCharacters: unreserved)))"
    }.joined(separator: "&")
    if method != "POST" && !encoded.isEmpty { components.percentEncodedQuery = encoded }
    var request = URLRequest(url: try #require(components.url))
    request.httpMethod = method
    if method == "POST" {
      request.setValue("application/x-www-form-urlencoded; charset=utf-8", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(encoded.utf8)
    }
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    return request
  }

  private func withUser(_ test: (LocalServer, TutorialApp) async throws -> Void) async throws {
    try await LocalServer.run { server in
      let app = server.app
      try await app.makeSignUpRequest(name: "Jane Doe", email: Self.email, password: "secret12")
      try await app.makeSignInRequest(email: Self.email, password: "secret12")
      try await test(server, app)
    }
  }

  @Test func `credentials are sent when the challenge has asked for them`() async throws {
    try await withUser { server, app in
      let loader = Loader(credentials: Self.credentials)
      let signin = try request(
        "POST", "\(server.address)/api/signin", ["email": Self.email, "password": app.helper.encrypt("secret12")])
      let (data, response) = try await loader.load(signin)
      #expect(response.statusCode == 200)
      #expect(loader.challenges == ["NSURLAuthenticationMethodHTTPBasic Application"])
      let tokens = try JSONDecoder().decode(Tokens.self, from: data)
      #expect(tokens.api_authtoken.count == 24)

      let getToken = try request("GET", "\(server.address)/api/get_token", ["email": Self.email])
      let (other, second) = try await Loader(credentials: Self.credentials).load(getToken)
      #expect(second.statusCode == 200)
      #expect(try JSONDecoder().decode(Tokens.self, from: other).api_authtoken != tokens.api_authtoken)
    }
  }

  @Test func `credentials that are wrong are asked for once more, and no longer`() async throws {
    try await withUser { server, app in
      let loader = Loader(credentials: (user: Self.credentials.user, password: "guessed"))
      let (data, response) = try await loader.load(
        try request("GET", "\(server.address)/api/get_token", ["email": Self.email]))
      #expect(response.statusCode == 401)
      #expect(response.fields["www-authenticate"] == "Basic realm=\"Application\"")
      #expect(response.fields["x-error"] == "invalid_api_credentials")
      #expect(loader.challenges.count == 2)
      #expect(try JSONDecoder().decode(Refusal.self, from: data).message == "HTTP Basic: Access denied.")
    }
  }

  @Test func `a Bearer token is as good as a Token`() async throws {
    try await withUser { server, app in
      let token = try #require(app.helper.keychain["Auth_Token"])
      let selfie = try await app.postBtnTapped(image: PNG.random(width: 9, height: 9), title: "one")
      let loader = Loader()
      let photos = try request("GET", "\(server.address)/api/get_photos", bearer: token)
      #expect(try await loader.load(photos).1.statusCode == 200)
      let delete = try request("DELETE", "\(server.address)/api/delete_photo", ["photo_id": selfie.id], bearer: token)
      #expect(try await loader.load(delete).1.statusCode == 200)
      #expect(try await app.loadSelfieData().isEmpty)
    }
  }

  /// Alamofire 5's `AuthenticationInterceptor` refreshes on every 401; X-Error says when that is worth it.
  @Test func `each 401 says which it is`() async throws {
    try await withUser { server, app in
      let token = try #require(app.helper.keychain["Auth_Token"])
      let loader = Loader()
      func reason(_ path: String, bearer token: String?, status: Int = 401) async throws -> String? {
        let (data, response) = try await loader.load(
          try request("GET", "\(server.address)/api/\(path)", bearer: token))
        let refusal = try JSONDecoder().decode(Refusal.self, from: data)
        #expect(response.statusCode == status)
        #expect(refusal.status == status)
        #expect(!refusal.message.isEmpty)
        return response.fields["x-error"]
      }
      #expect(try await reason("get_photos", bearer: nil) == "invalid_token")
      #expect(try await reason("get_photos", bearer: "unknown") == "invalid_token")
      let withToken = try await reason("get_token?email=\(Self.email)", bearer: token, status: 403)
      #expect(withToken == "invalid_api_credentials")
      #expect(try await reason("get_token", bearer: nil) == "invalid_api_credentials")
      server.clock.advance(seconds: 86_400)
      #expect(try await reason("get_photos", bearer: token) == "expired_token")
    }
  }

  @Test func `after a refresh the same request succeeds`() async throws {
    try await withUser { server, app in
      let token = try #require(app.helper.keychain["Auth_Token"])
      let photos = "\(server.address)/api/get_photos"
      server.clock.advance(seconds: 86_400)
      let loader = Loader(credentials: Self.credentials)
      #expect(try await loader.load(try request("GET", photos, bearer: token)).1.statusCode == 401)
      let (data, _) = try await loader.load(
        try request("GET", "\(server.address)/api/get_token", ["email": Self.email]))
      let new = try JSONDecoder().decode(Tokens.self, from: data).api_authtoken
      #expect(try await loader.load(try request("GET", photos, bearer: new)).1.statusCode == 200)
    }
  }
}
