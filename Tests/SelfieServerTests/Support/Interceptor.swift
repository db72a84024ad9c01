import Foundation
import FoundationNetworking
import Synchronization
import TestSupport

/// The class `RequestInterceptor` of the article on signed requests with Alamofire 5, on URLSession: `adapt` signs each
/// request with the stored token, and `retry` refreshes the token on every 401 and sends the request again.
final class Interceptor: Sendable {
  enum Refreshing: CaseIterable {
    /// As in the article: each 401 refreshes, without a lock.
    case each
    /// Those that meet 401 at once wait for one refresh.
    case locked
    /// The refresh is sent through the interceptor like any other request, so that it is retried as well.
    case intercepted
  }

  enum Failure: Error {
    case tooManyRequests
    case refreshFailed(Int)
  }

  private struct Refreshed: Decodable {
    let first_name: String
    let last_name: String
    let email: String
    let api_authtoken: String
    let authtoken_expiry: String
  }

  private let origin: String
  private let refreshing: Refreshing
  private let storage: Mutex<String>
  private let loader = Loader()
  private let lock = RefreshLock()
  private let requests = Mutex(0)
  private let refreshes = Mutex(0)
  /// How many requests are still to meet a 401 before the first of them refreshes.
  private let missing: Mutex<Int>
  private let allMet = Gate()
  private static let maxRequests = 200

  /// - Parameter meeting: how many requests meet a 401 before the first of them refreshes.
  init(origin: String, token: String, refreshing: Refreshing, meeting: Int = 1) {
    self.origin = origin
    self.refreshing = refreshing
    storage = Mutex(token)
    missing = Mutex(meeting)
  }

  var accessToken: String { storage.withLock { $0 } }
  var requestCount: Int { requests.withLock { $0 } }
  var refreshCount: Int { refreshes.withLock { $0 } }

  /// - Throws: `refreshFailed` in place of the response, as `.doNotRetryWithError` does; `tooManyRequests` in a loop.
  func load(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let adapted = adapt(request)
    let (data, response) = try await send(adapted)
    guard response.statusCode == 401 else { return (data, response) }
    let token = accessToken
    await meetOthers()
    let new = try await refresh(token)
    storage.withLock { $0 = new }
    return try await load(request)
  }

  private func adapt(_ request: URLRequest) -> URLRequest {
    var request = request
    request.setValue("Bearer " + accessToken, forHTTPHeaderField: "Authorization")
    return request
  }

  private func send(_ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let count = requests.withLock { count in
      count += 1
      return count
    }
    guard count <= Self.maxRequests else { throw Failure.tooManyRequests }
    return try await loader.load(request)
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
    switch refreshing {
    case .each, .intercepted: try await sendRefresh(token)
    case .locked: try await lock.run(token) { try await self.sendRefresh(token) }
    }
  }

  private func sendRefresh(_ token: String) async throws -> String {
    refreshes.withLock { $0 += 1 }
    let request = try URLRequest("POST", "\(origin)/api/refresh_token", fields: ["Authorization": "Bearer \(token)"])
    let (data, response) = try await refreshing == .intercepted ? load(request) : send(request)
    guard response.statusCode == 200 else { throw Failure.refreshFailed(response.statusCode) }
    return try JSONDecoder().decode(Refreshed.self, from: data).api_authtoken
  }
}

/// One refresh of a token for all who ask for it.
private actor RefreshLock {
  private var tasks: [String: Task<String, any Error>] = [:]

  func run(_ token: String, _ refresh: @escaping @Sendable () async throws -> String) async throws -> String {
    let task = tasks[token] ?? Task { try await refresh() }
    tasks[token] = task
    return try await task.value
  }
}
