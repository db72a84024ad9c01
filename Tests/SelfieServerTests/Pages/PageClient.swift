import SelfieTestControl
import TestSupport
import Testing

/// An app and a test, as requests to the server whose inspector is open, in a world of their own.
struct PageClient: Sendable {
  let server: ServerProcess
  let world: String
  private static let requests = AppRequests(name: TestCredentials.name, password: TestCredentials.password)

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
    _ method: String, _ path: String, json: String? = nil, fields: [String] = [], body: [UInt8] = []
  ) async throws -> RawResponse {
    let type = json == nil ? [] : ["Content-Type: application/json"]
    let request = AppRequest(
      method, path, ["X-Test-World: \(world)"] + type + fields, body: json.map { Array($0.utf8) } ?? body)
    return try await RawClient.response(to: request, at: try await server.origin())
  }

  @discardableResult
  private func send(_ request: AppRequest) async throws -> Int {
    let fields = request.fields + ["Authorization: \(request.authorization ?? "")"]
    return try await send(request.method, request.target, fields: fields, body: request.body).status
  }

  @discardableResult
  func control(_ path: String, _ json: String) async throws -> String {
    let response = try await send("POST", "/__admin/\(path)", json: json)
    try #require(response.status == 200, "\(response.text)")
    return response.text
  }

  @discardableResult
  func signIn(password: String) async throws -> Int {
    try await send(Self.requests.signIn("ada@example.com", password))
  }

  /// Signs in as an app does that has forgotten to encrypt the password.
  func signInWithoutEncryption() async throws -> Int {
    try await send(
      AppRequest(
        "POST", "/api/signin", as: AppRequest.basic(TestCredentials.name, TestCredentials.password),
        ["email": "ada@example.com", "password": "analytical"]))
  }

  @discardableResult
  func photos(token: String) async throws -> Int { try await send(Self.requests.photos(token)) }
}
