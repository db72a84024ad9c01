import Foundation
import FoundationNetworking
import SelfieServerTesting
import TestSupport
import Testing

/// An app that talks to a server.
struct App: Sendable {
  private let server: SelfieServer
  private let requests: AppRequests

  struct AppResponse {
    let status: Int
    let json: Any?

    subscript(_ member: String) -> String? { (json as? [String: Any])?[member] as? String }
    var message: String { self["message"] ?? "" }
  }

  init(_ server: SelfieServer) {
    self.server = server
    requests = AppRequests(name: server.apiAuthName, password: server.apiAuthPassword)
  }

  func signUp(_ email: String, password: String = "secret12") async throws -> AppResponse {
    try await send(requests.signUp(email, password))
  }

  func signIn(_ email: String, password: String = "secret12") async throws -> AppResponse {
    try await send(requests.signIn(email, password))
  }

  func refresh(token: String) async throws -> AppResponse {
    try await send(AppRequest("POST", "/api/refresh_token", as: "Bearer \(token)"))
  }

  func photos(token: String) async throws -> AppResponse { try await send(requests.photos(token)) }

  func upload(_ image: String, title: String, token: String) async throws -> AppResponse {
    try await send(requests.upload(token, Array(image.utf8), title: title))
  }

  private func send(_ sent: AppRequest) async throws -> AppResponse {
    var request = URLRequest(url: try #require(URL(string: "\(server.url)\(sent.target)")))
    request.httpMethod = sent.method
    request.timeoutInterval = 300
    if !sent.body.isEmpty { request.httpBody = Data(sent.body) }
    for (name, value) in server.headers { request.setValue(value, forHTTPHeaderField: name) }
    request.setValue(sent.authorization, forHTTPHeaderField: "Authorization")
    for field in sent.fields.map({ $0.components(separatedBy: ": ") }) {
      request.setValue(field.last, forHTTPHeaderField: field[0])
    }
    let (data, response) = try await URLSession.shared.data(for: request)
    return AppResponse(
      status: (response as? HTTPURLResponse)?.statusCode ?? 0,
      json: try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
  }
}
