import Foundation
import FoundationNetworking
import SelfieServerTesting

/// An app that talks to a server.
struct App: Sendable {
  let server: SelfieServer

  struct AppResponse {
    let status: Int
    let json: Any?

    subscript(_ member: String) -> String? { (json as? [String: Any])?[member] as? String }
    var message: String { self["message"] ?? "" }
  }

  init(_ server: SelfieServer) {
    self.server = server
  }

  func signUp(_ email: String, password: String = "secret12") async throws -> AppResponse {
    try await post(
      "signup", ["full_name": "Jo Doe", "email": email, "password": server.encrypted(password)])
  }

  func signIn(_ email: String, password: String = "secret12") async throws -> AppResponse {
    try await post("signin", ["email": email, "password": server.encrypted(password)])
  }

  func refresh(token: String) async throws -> AppResponse {
    try await send("POST", server.baseURL.appending(path: "refresh_token"), authorization: "Bearer \(token)")
  }

  func photos(token: String) async throws -> AppResponse {
    try await send("GET", server.baseURL.appending(path: "get_photos"), authorization: "Token token=\(token)")
  }

  func upload(_ image: String, title: String, token: String) async throws -> AppResponse {
    let body =
      "--b\r\nContent-Disposition: attachment; name=\"image\"; filename=\"photo\"\r\n\r\n\(image)\r\n"
      + "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\n\(title)\r\n--b--\r\n"
    return try await send(
      "POST", server.baseURL.appending(path: "upload_photo"), authorization: "Token token=\(token)",
      type: "multipart/form-data; boundary=b", body: Data(body.utf8))
  }

  private func post(_ path: String, _ members: [String: String]) async throws -> AppResponse {
    let basic = Data("\(server.apiAuthName):\(server.apiAuthPassword)".utf8).base64EncodedString()
    return try await send(
      "POST", server.baseURL.appending(path: path), authorization: "Basic \(basic)", type: "application/json",
      body: try JSONEncoder().encode(members))
  }

  private func send(
    _ method: String, _ url: URL, authorization: String, type: String? = nil, body: Data? = nil
  ) async throws -> AppResponse {
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.timeoutInterval = 300
    request.httpBody = body
    for (name, value) in server.headers { request.setValue(value, forHTTPHeaderField: name) }
    request.setValue(authorization, forHTTPHeaderField: "Authorization")
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    let (data, response) = try await URLSession.shared.data(for: request)
    return AppResponse(
      status: (response as? HTTPURLResponse)?.statusCode ?? 0,
      json: try? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed))
  }
}
