import Cryptography
import Foundation
import FoundationNetworking
import SelfieTestControl

/// An app and a test, as requests to the server whose inspector is open, in a world of their own.
struct PageClient: Sendable {
  let server: PageServer
  let world: String
  private let loader = Loader()

  @discardableResult
  func send(
    _ method: String, _ path: String, json: String? = nil, fields: [String: String] = [:], body: Data? = nil
  ) async throws -> (status: Int, text: String) {
    guard let url = URL(string: server.origin + path) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.setValue(world, forHTTPHeaderField: "X-Test-World")
    if let json {
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(json.utf8)
    }
    if let body { request.httpBody = body }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await loader.load(request)
    return (response.statusCode, String(decoding: data, as: UTF8.self))
  }

  func control(_ path: String, _ json: String? = nil) async throws {
    let response = try await send(json == nil ? "GET" : "POST", "/__admin/\(path)", json: json)
    guard response.status == 200 else { throw URLError(.badServerResponse) }
  }

  @discardableResult
  func signIn(_ email: String, password: String) async throws -> Int {
    let json = String(decoding: try JSONEncoder().encode(["email": email, "password": password]), as: UTF8.self)
    return try await send("POST", "/api/signin", json: json, fields: ["Authorization": Self.basic]).status
  }

  @discardableResult
  func photos(token: String) async throws -> Int {
    try await send("GET", "/api/get_photos", fields: ["Authorization": "Token token=\(token)"]).status
  }

  static let apiPassword = TestCredentials.password

  static let basic =
    "Basic " + Data("\(TestCredentials.name):\(TestCredentials.password)".utf8).base64EncodedString()

  static func encrypted(_ password: String) -> String {
    AESCrypt(password: Array(TestCredentials.password.utf8)).encrypt(Array(password.utf8))
  }
}
