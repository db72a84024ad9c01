import Cryptography
import Foundation
import FoundationNetworking
import SelfieTestControl
import TestSupport

/// An app and a test, as requests to the server whose inspector is open, in a world of their own.
struct PageClient: Sendable {
  let server: ServerProcess
  let world: String
  private let loader = Loader()

  init(_ world: String) async throws {
    self.world = world
    server = try await PageServers.shared.value
  }

  /// Opens the inspector for a new world.
  static func inspector(of world: String, seed: String = #"{"users":[]}"#) async throws -> (BrowserPage, PageClient) {
    let client = try await PageClient(world)
    try await client.control("seed", seed)
    let page = try await client.server.page("/__admin/")
    try await page.wait(
      for: "[...document.querySelectorAll('#world option')].some(option => option.value === '\(world)')")
    try await page.choose(world, of: "World")
    try await page.wait(for: "document.querySelector('#world').value === '\(world)'")
    try await page.wait(forText: "Live")
    return (page, client)
  }

  @discardableResult
  func send(
    _ method: String, _ path: String, json: String? = nil, fields: [String: String] = [:], body: Data? = nil
  ) async throws -> (status: Int, text: String) {
    let fields = fields.merging(["X-Test-World": world]) { $1 }
    var request = try URLRequest(method, try await server.origin() + path, json: json, fields: fields)
    if let body { request.httpBody = body }
    let (data, response) = try await loader.load(request)
    return (response.statusCode, String(decoding: data, as: UTF8.self))
  }

  @discardableResult
  func control(_ path: String, _ json: String) async throws -> String {
    let response = try await send("POST", "/__admin/\(path)", json: json)
    guard response.status == 200 else { throw URLError(.badServerResponse) }
    return response.text
  }

  @discardableResult
  func signIn(password: String) async throws -> Int {
    let basic = Data("\(TestCredentials.name):\(TestCredentials.password)".utf8).base64EncodedString()
    return try await send(
      "POST", "/api/signin", json: #"{"email":"ada@example.com","password":"\#(password)"}"#,
      fields: ["Authorization": "Basic \(basic)"]
    ).status
  }

  @discardableResult
  func photos(token: String) async throws -> Int {
    try await send("GET", "/api/get_photos", fields: ["Authorization": "Token token=\(token)"]).status
  }

  static func encrypted(_ password: String) -> String {
    AESCrypt(password: Array(TestCredentials.password.utf8)).encrypt(Array(password.utf8))
  }
}
