import APITestSupport
import Foundation
import FoundationNetworking
import Testing

/// The article on signed requests with Alamofire 5: what its RequestInterceptor meets.
@Suite(.timeLimit(.minutes(10))) struct InterceptorTests {
  private func withToken(_ test: (LocalServer, TutorialApp, String) async throws -> Void) async throws {
    try await LocalServer.runWithUser { server, app in try await test(server, app, try #require(app.token)) }
  }

  private func request(
    _ method: String, _ target: String, _ parameters: [String: String]? = nil, of server: LocalServer
  ) throws -> URLRequest {
    let json = try parameters.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
    return try URLRequest(method, server.origin + target, json: json)
  }

  private func get(_ count: Int, with interceptor: Interceptor, of server: LocalServer) async throws -> [Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count {
        let photos = try request("GET", "/api/get_photos", of: server)
        group.addTask { try await interceptor.load(photos).1.statusCode }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
  }

  @Test(arguments: [false, true])
  func `five requests that meet a 401 together all succeed`(retriesRefresh: Bool) async throws {
    try await withToken { server, app, token in
      server.clock.advance(seconds: 86_400)
      let interceptor = Interceptor(origin: server.origin, token: token, retriesRefresh: retriesRefresh, meeting: 5)
      let statuses = try await get(5, with: interceptor, of: server)
      #expect(statuses == [200, 200, 200, 200, 200])
      #expect(interceptor.accessToken != token)
      // And so for days, without a sign-in.
      for _ in 0..<4 {
        server.clock.advance(seconds: 86_400)
        #expect(try await get(5, with: interceptor, of: server) == [200, 200, 200, 200, 200])
      }
    }
  }

  enum Ending: CaseIterable {
    case live, unknown, none, cleared, tooOld, reused
  }

  /// Everything that the API's endpoints can refuse, and a client that knows nothing but 401.
  @Test(arguments: Ending.allCases, [false, true])
  func `no refusal makes the app loop`(_ ending: Ending, retriesRefresh: Bool) async throws {
    try await withToken { server, app, token in
      let requests = try [
        request("POST", "/api/signup", [:], of: server), request("POST", "/api/signin", [:], of: server),
        request("GET", "/api/get_token", of: server), request("POST", "/api/reset_password", [:], of: server),
        request(
          "POST", "/api/reset_password",
          ["old_password": app.encrypt("wrong-one"), "new_password": app.encrypt("another1")], of: server),
        request("POST", "/api/upload_photo", ["title": "me"], of: server),
        request("GET", "/api/get_photos", of: server),
        request("DELETE", "/api/delete_photo", ["photo_id": "unknown"], of: server),
        request("DELETE", "/api/delete_photo", [:], of: server), request("GET", "/api/unknown", of: server),
        request("GET", "/photos/unknown", of: server), request("POST", "/api/refresh_token", of: server),
        request("GET", "/notes.json", of: server), request("GET", "/notes.json?token=token", of: server),
        request("POST", "/users/login", ["name": "ada", "password": "wrong"], of: server),
        request("GET", "/users", of: server), request("POST", "/blogposts", ["text": "hello"], of: server),
        request("GET", "/api/clear_token", of: server), request("GET", "/api/get_photos", of: server),
      ]
      let sent = try await end(token, by: ending, of: server)
      for request in requests {
        let interceptor = Interceptor(origin: server.origin, token: sent, retriesRefresh: retriesRefresh)
        do {
          #expect(try await interceptor.load(request).1.statusCode != 401)
        } catch Interceptor.Failure.refreshFailed(let status) {
          #expect(ending == .reused ? [401, 403].contains(status) : status == 403)
        }
        #expect(interceptor.requestCount <= 4)
      }
    }
  }

  /// - Returns: the token that the app sends.
  private func end(_ token: String, by ending: Ending, of server: LocalServer) async throws -> String {
    let interceptor = Interceptor(origin: server.origin, token: token, retriesRefresh: false)
    switch ending {
    case .live: break
    case .unknown: return "unknown"
    case .none: return ""
    case .cleared:
      #expect(try await interceptor.load(request("GET", "/api/clear_token", of: server)).1.statusCode == 200)
    case .tooOld: server.clock.advance(seconds: 32 * 86_400)
    case .reused:
      #expect(try await interceptor.load(request("POST", "/api/refresh_token", of: server)).1.statusCode == 200)
      server.clock.advance(seconds: 60)
    }
    return token
  }
}
