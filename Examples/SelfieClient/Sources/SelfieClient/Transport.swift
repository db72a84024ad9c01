import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests, again where that helps.
struct Transport: Sendable {
  let baseURL: URL
  let session: URLSession

  /// How often a request is sent in all, and the pause between two attempts, in seconds.
  private static let attempts = 3
  private static let pause = 0.05

  func send(_ method: String, _ path: String, authorization: String, json: [String: String]? = nil) async throws
    -> Data
  {
    var request = request(method, path, authorization)
    request.httpBody = try json.map { try JSONEncoder().encode($0) }
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    return try await send(request)
  }

  func send(_ method: String, _ path: String, authorization: String, form: PhotoForm) async throws -> Data {
    var request = request(method, path, authorization)
    request.httpBody = form.body
    request.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
    return try await send(request)
  }

  private func request(_ method: String, _ path: String, _ authorization: String) -> URLRequest {
    var request = URLRequest(url: baseURL.appending(path: path))
    request.httpMethod = method
    request.setValue(authorization, forHTTPHeaderField: "Authorization")
    return request
  }

  private func send(_ request: URLRequest) async throws -> Data {
    for _ in 1..<Self.attempts {
      do {
        let (data, status) = try await exchange(request)
        if status != 503 { return try Self.check(data, status) }
      } catch is URLError where request.httpMethod == "GET" {
        // Whether anything else has reached the server is not known, and it must not be done twice.
      }
      try await Task.sleep(for: .seconds(Self.pause))
    }
    let (data, status) = try await exchange(request)
    return try Self.check(data, status)
  }

  private func exchange(_ request: URLRequest) async throws -> (Data, status: Int) {
    let (data, response) = try await session.data(for: request)
    return (data, (response as? HTTPURLResponse)?.statusCode ?? 0)
  }

  private static func check(_ data: Data, _ status: Int) throws -> Data {
    if status == 200 { return data }
    let message = (try? JSONDecoder().decode(Refusal.self, from: data))?.message ?? "The server answered \(status)."
    if status == 401 && message.hasPrefix("Authtoken has expired") { throw SelfieError.sessionExpired }
    throw SelfieError.refused(status: status, message: message)
  }

  private struct Refusal: Decodable {
    let message: String
  }
}
