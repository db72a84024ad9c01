import Cryptography
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI
import TestSupport
import Testing

extension APIFixture {
  package static let password = "secret12"

  /// What stands in the Authorization field of a request.
  package enum Caller {
    case nobody
    case app
    case holder(of: String)
    case bearer(of: String)

    package var fields: [(name: String, value: String)] {
      switch self {
      case .nobody: []
      case .app:
        [("Authorization", "Basic \(Base64.encode(Array("\(APIFixture.authName):\(APIFixture.authPassword)".utf8)))")]
      case .holder(let token): [("Authorization", "Token token=\(token)")]
      case .bearer(let token): [("Authorization", "Bearer \(token)")]
      }
    }
  }

  package func get(
    _ target: String, as caller: Caller = .nobody, fields: [(name: String, value: String)] = []
  ) async -> Response {
    await application.respond(Self.request("GET", target, as: caller, fields: fields))
  }

  /// Sends a text as the body.
  package func send(
    _ method: String, _ target: String, as caller: Caller = .nobody, fields: [(name: String, value: String)] = [],
    type: String = "application/json", body: String = "", from peer: String = "127.0.0.1"
  ) async -> Response {
    let fields = Self.host + caller.fields + [("Content-Type", type)] + fields
    return await application.respond(Request(method, target, fields: fields, body: Array(body.utf8), peer: peer))
  }

  /// Sends JSON made of `parameters`.
  package func send(_ method: String, _ target: String, as caller: Caller, _ parameters: [String: String]) async
    -> Response
  {
    await application.respond(Self.request(method, target, as: caller, parameters))
  }

  /// Sends a request with a JSON body, as an app writes it.
  package func respond(to request: AppRequest) async -> Response {
    await send(
      request.method, request.target, fields: [("Authorization", request.authorization ?? "")],
      body: String(decoding: request.body, as: UTF8.self))
  }

  /// Sends a multipart body as it comes from `source`.
  package func upload(_ body: RequestBody, token: String) async -> Response {
    let fields = Self.host + Caller.holder(of: token).fields + [("Content-Type", MultipartBody.contentType)]
    let head = Request("POST", "/api/upload_photo", fields: fields).head
    return await application.respond(Request(head: head, body: body, peer: "127.0.0.1"))
  }

  package func upload(_ image: [UInt8] = Samples.png, title: String = "me", token: String) async -> Response {
    await upload(RequestBody(MultipartBody.upload(image, title: title)), token: token)
  }

  /// Uploads a photo whose second half comes after `meanwhile`.
  package func upload(
    _ image: [UInt8] = Samples.bytes(500_000), token: String, meanwhile: () async throws -> Void
  ) async throws -> Response {
    let body = HeldBody(MultipartBody.upload(image, title: "me"))
    async let response = upload(RequestBody(length: nil, source: body), token: token)
    await body.reachesMiddle()
    try await meanwhile()
    body.goOn()
    return await response
  }

  package func deletePhoto(_ id: String, token: String) async -> Response {
    await send("DELETE", "/api/delete_photo", as: .holder(of: token), ["photo_id": id])
  }

  package func attemptSignIn(
    _ email: String = "jane@example.com", password: String = APIFixture.password
  ) async -> Response {
    await send("POST", "/api/signin", as: .app, ["email": email, "password": Self.encrypt(password)])
  }

  package func getToken(_ fields: [(name: String, value: String)] = []) async -> Response {
    await get("/api/get_token?email=jane@example.com", as: .app, fields: fields)
  }

  package func resetPassword(
    from old: String = APIFixture.password, to new: String = "another1", as caller: Caller
  ) async -> Response {
    let passwords = ["old_password": Self.encrypt(old), "new_password": Self.encrypt(new)]
    return await send("POST", "/api/reset_password", as: caller, passwords)
  }

  package func refresh(_ token: String) async -> Response {
    await send("POST", "/api/refresh_token", as: .bearer(of: token), [:])
  }

  package static func request(
    _ method: String, _ target: String, as caller: Caller = .nobody, fields: [(name: String, value: String)] = []
  ) -> Request {
    Request(method, target, fields: host + caller.fields + fields)
  }

  package static func request(
    _ method: String, _ target: String, as caller: Caller, _ parameters: [String: String]
  ) -> Request {
    let fields = host + caller.fields + [("Content-Type", "application/json")]
    return Request(method, target, fields: fields, body: (try? JSONWriter.encode(parameters)) ?? [])
  }

  private static let host: [(name: String, value: String)] = [("Host", "selfies.example:3000")]

  // MARK: - What must succeed for a test to go on

  package func signUp(_ email: String = "jane@example.com") async throws {
    let response = await send(
      "POST", "/api/signup", as: .app,
      ["full_name": "Jane Doe", "email": email, "password": Self.encrypt(Self.password)])
    try #require(response.status == .ok, "\(response.text)")
  }

  /// Signs in once more, and returns the new token.
  package func signIn(_ email: String = "jane@example.com", password: String = APIFixture.password) async throws
    -> String
  {
    let response = await attemptSignIn(email, password: password)
    try #require(response.status == .ok, "\(response.text)")
    return try #require(response.member("api_authtoken"))
  }

  /// An application with an account, and the first token of that.
  package static func withUser(
    memory: MemoryBudget = MemoryBudget(), objects: (any PhotoObjects)? = nil,
    adjust: (inout APISettings) -> Void = { _ in }
  ) async throws -> (api: APIFixture, token: String) {
    let api = try APIFixture(memory: memory, objects: objects, adjust: adjust)
    return (api, try await api.newUser())
  }

  /// A new account, and its first token.
  package func newUser(_ email: String = "jane@example.com") async throws -> String {
    try await signUp(email)
    return try await signIn(email)
  }

  /// Uploads a photo, and returns its id.
  package func newPhoto(_ image: [UInt8] = Samples.png, title: String = "me", token: String) async throws -> String {
    let response = await upload(image, title: title, token: token)
    try #require(response.status == .ok, "\(response.text)")
    return try #require(response.member("random_id"))
  }

  /// Whether a token is accepted.
  package func isAccepted(_ token: String) async -> Bool {
    await get("/api/get_photos", as: .holder(of: token)).status == .ok
  }

  package func number(_ query: Query) async throws -> Int64 { try await application.database.number(query) }

  /// The number that the file's database has.
  package func count(_ query: Query) throws -> Int64 {
    try database.read { try $0.number(query) }
  }
}
