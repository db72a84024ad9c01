import APITestSupport
import Foundation
import Platform
import TestSupport
import Testing

/// The tutorial's app, unchanged but for its `BASE_URL`, against the server.
@Suite(.timeLimit(.minutes(10))) struct TutorialAppTests {
  private func expectAlert(
    _ status: Int, _ message: String, reason: String? = nil, sourceLocation: SourceLocation = #_sourceLocation,
    _ action: () async throws -> Void
  ) async {
    await #expect(
      throws: TutorialApp.Alert(status: status, message: message, reason: reason), sourceLocation: sourceLocation
    ) { try await action() }
  }

  @Test func `signs up, in and out, and keeps selfies in between`() async throws {
    try await LocalServer.runWithUser { server, app in
      let expiry = try #require(app.expiry)
      #expect(expiry.timeIntervalSince1970 == Double(server.clock.now + 86_400_000) / 1000)
      _ = try await app.keepSelfies(image: PNG.random(5_460_000))
      let other = TutorialApp(server.origin, token: app.token)
      try await app.resetPassword(to: "secret34")
      #expect(app.token != other.token)
      try await app.clearLoggedinFlagInUserDefaultsAndSignOut()
      for app in [app, other] {
        await expectAlert(401, "HTTP Token: Access denied.", reason: "invalid_token") {
          _ = try await app.loadSelfieData()
        }
      }
    }
  }

  /// The recorded exchanges have every other refusal.
  @Test func `shows why a photo was refused`() async throws {
    try await LocalServer.runWithUser(adjust: { $0.maxPhotoBytes = 1_000_000 }) { server, app in
      // The second is within the megabyte that may stand around a photo: known only when most of it has come.
      for count in [4_320_000, 1_080_000] {
        await expectAlert(413, "The photo is larger than 1000000 bytes.") {
          _ = try await app.postBtnTapped(image: PNG.random(count))
        }
      }
      server.clock.advance(seconds: 86_400)
      await expectAlert(401, "Authtoken has expired", reason: "expired_token") {
        try await app.postBtnTapped(image: PNG.random(900_000))
      }
    }
  }
}

/// The article on signed requests with Alamofire 5: what its RequestInterceptor meets.
@Suite(.timeLimit(.minutes(10))) struct InterceptorTests {
  private func withToken(_ test: (LocalServer, TutorialApp, String) async throws -> Void) async throws {
    try await LocalServer.runWithUser { server, app in try await test(server, app, try #require(app.token)) }
  }

  private func get(_ count: Int, with interceptor: Interceptor, of server: LocalServer) async throws -> [Int] {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count {
        group.addTask { try await interceptor.load(AppRequest("GET", "/api/get_photos")).status }
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
      let requests = [
        AppRequest("POST", "/api/signup", json: "{}"), AppRequest("POST", "/api/signin", json: "{}"),
        AppRequest("GET", "/api/get_token"), AppRequest("POST", "/api/reset_password", json: "{}"),
        app.requests.resetPassword(token, from: "wrong-one", to: "another1"),
        AppRequest("POST", "/api/upload_photo", ["title": "me"]), AppRequest("GET", "/api/get_photos"),
        app.requests.deletePhoto(token, "unknown"), AppRequest("DELETE", "/api/delete_photo", json: "{}"),
        AppRequest("GET", "/api/unknown"), AppRequest("GET", "/photos/unknown"),
        AppRequest("POST", "/api/refresh_token"), AppRequest("GET", "/notes.json"),
        AppRequest("GET", "/notes.json?token=token"),
        AppRequest("POST", "/users/login", ["name": "ada", "password": "wrong"]), AppRequest("GET", "/users"),
        AppRequest("POST", "/blogposts", ["text": "hello"]), AppRequest("GET", "/api/clear_token"),
        AppRequest("GET", "/api/get_photos"),
      ]
      let sent = try await end(token, by: ending, of: server)
      for request in requests {
        let interceptor = Interceptor(origin: server.origin, token: sent, retriesRefresh: retriesRefresh)
        do {
          #expect(try await interceptor.load(request).status != 401)
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
      #expect(try await interceptor.load(AppRequest("GET", "/api/clear_token")).status == 200)
    case .tooOld: server.clock.advance(seconds: 32 * 86_400)
    case .reused:
      #expect(try await interceptor.load(AppRequest("POST", "/api/refresh_token")).status == 200)
      server.clock.advance(seconds: 60)
    }
    return token
  }
}

/// The class `RequestInterceptor` of the article on signed requests with Alamofire 5: `adapt` signs each
/// request with the stored token, and `retry` refreshes the token on every 401 and sends the request again.
private final class Interceptor: Sendable {
  enum Failure: Error {
    case tooManyRequests
    case refreshFailed(Int)
  }

  private let origin: String
  private let retriesRefresh: Bool
  private let storage: Monitor<String>
  private let requests = Monitor(0)
  /// How many requests are still to meet a 401 before the first of them refreshes.
  private let missing: Monitor<Int>
  private let allMet = Gate()
  private static let maxRequests = 200

  /// - Parameters:
  ///   - retriesRefresh: whether the refresh is sent through the interceptor like any other request.
  ///   - meeting: how many requests meet a 401 before the first of them refreshes.
  init(origin: String, token: String, retriesRefresh: Bool, meeting: Int = 1) {
    self.origin = origin
    self.retriesRefresh = retriesRefresh
    storage = Monitor(token)
    missing = Monitor(meeting)
  }

  var accessToken: String { storage.withLock { $0 } }
  var requestCount: Int { requests.withLock { $0 } }

  /// - Throws: `refreshFailed` in place of the response, as `.doNotRetryWithError` does; `tooManyRequests` in a loop.
  func load(_ request: AppRequest) async throws -> RawResponse {
    let response = try await send(adapt(request))
    guard response.status == 401 else { return response }
    let token = accessToken
    await meetOthers()
    let new = try await refresh(token)
    storage.withLock { $0 = new }
    return try await load(request)
  }

  private func adapt(_ request: AppRequest) -> AppRequest {
    var request = request
    request.authorization = "Bearer \(accessToken)"
    return request
  }

  private func send(_ request: AppRequest) async throws -> RawResponse {
    let count = requests.withLock { count in
      count += 1
      return count
    }
    guard count <= Self.maxRequests else { throw Failure.tooManyRequests }
    return try await RawClient.response(to: request, at: origin)
  }

  private func meetOthers() async {
    let isLast = missing.withLock { missing in
      missing -= 1
      return missing == 0
    }
    if isLast { allMet.open() }
    await allMet.wait()
  }

  // MARK: - refreshToken(_:), which the article leaves to its reader

  private func refresh(_ token: String) async throws -> String {
    let request = AppRequest("POST", "/api/refresh_token", as: "Bearer \(token)")
    let response = try await retriesRefresh ? load(request) : send(request)
    guard response.status == 200 else { throw Failure.refreshFailed(response.status) }
    return try #require(response.object?["api_authtoken"] as? String)
  }
}
