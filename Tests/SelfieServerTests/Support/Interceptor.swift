import Platform
import TestSupport
import Testing

/// The class `RequestInterceptor` of the article on signed requests with Alamofire 5: `adapt` signs each
/// request with the stored token, and `retry` refreshes the token on every 401 and sends the request again.
final class Interceptor: Sendable {
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
