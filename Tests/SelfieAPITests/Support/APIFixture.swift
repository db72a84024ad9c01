import Cryptography
import HTTPMessages
import SQLite
import Testing
import Platform

@testable import SelfieAPI
@testable import SelfieControl

/// The API with a database and a folder of its own, at a time that the test sets.
final class APIFixture: Sendable {
  static let authName = "apiname"
  static let authPassword = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"
  static let password = "secret12"

  let folder: StorageFolder
  let clock: SettableClock
  let log = LogRecorder()
  let database: Database
  let application: Application
  let state: StoredState
  private let hashing = WorkerPool(name: "bcrypt", threads: 2, waiting: 256)
  private let filing = WorkerPool(name: "files", threads: 2, waiting: 256)

  /// - Parameter adjust: changes the settings from their defaults; bcrypt's cost is the lowest already.
  convenience init(clock: SettableClock = SettableClock(), adjust: (inout APISettings) -> Void = { _ in }) throws {
    try self.init(folder: StorageFolder(), clock: clock, adjust: adjust)
  }

  /// A start on what another one left, which ends with that.
  convenience init(after other: APIFixture) throws {
    other.finishFiling()
    other.database.close()
    try self.init(folder: other.folder, clock: other.clock) { _ in }
  }

  private init(folder: StorageFolder, clock: SettableClock, adjust: (inout APISettings) -> Void) throws {
    var settings = APISettings(authName: Self.authName, authPassword: Self.authPassword)
    settings.passwordCost = PasswordHash.costs.lowerBound
    adjust(&settings)
    let migrations = try Migrations(directory: "\(checkout)/Migrations") { Digest.hex(Digest.sha256($0)) }
    self.folder = folder
    self.clock = clock
    database = try Database(path: "\(folder.path)/selfie.sqlite3", migrations: migrations, now: clock.now)
    application = Application(
      settings: settings, database: database,
      photos: try PhotoLibrary(database: database, storage: folder.path, lane: filing, logger: log.logger),
      hashing: hashing, listing: filing, clock: { clock.now }, uptime: { clock.now }, logger: log.logger)
    state = StoredState(of: application)
  }

  /// Finishes what nobody has waited for. Nothing can be uploaded afterwards.
  func finishFiling() {
    filing.shutDown()
  }

  deinit {
    hashing.shutDown()
    filing.shutDown()
    database.close()
  }

  /// What stands in the Authorization field of a request.
  enum Caller {
    case nobody
    case app
    case holder(of: String)

    var fields: [(name: String, value: String)] {
      switch self {
      case .nobody: []
      case .app:
        [("Authorization", "Basic \(Base64.encode(Array("\(APIFixture.authName):\(APIFixture.authPassword)".utf8)))")]
      case .holder(let token): [("Authorization", "Token token=\(token)")]
      }
    }
  }

  func get(
    _ target: String, as caller: Caller = .nobody, fields: [(name: String, value: String)] = []
  ) async -> Response {
    await application.respond(Request("GET", target, fields: Self.host + caller.fields + fields))
  }

  /// Sends JSON made of `parameters`.
  func send(_ method: String, _ target: String, as caller: Caller, _ parameters: [String: String]) async -> Response {
    let json = WireJSON.object { json in
      for (name, value) in parameters {
        json.key(text: name)
        json.string(value)
      }
    }
    let fields = Self.host + caller.fields + [("Content-Type", "application/json")]
    return await application.respond(Request(method, target, fields: fields, body: json))
  }

  /// Sends a multipart body as it comes from `source`.
  func upload(_ body: RequestBody, token: String) async -> Response {
    let fields =
      Self.host + Caller.holder(of: token).fields
      + [("Content-Type", "multipart/form-data; boundary=\(MultipartBody.boundary)")]
    let head = Request("POST", "/api/upload_photo", fields: fields).head
    return await application.respond(Request(head: head, body: body, peer: "127.0.0.1"))
  }

  private static let host: [(name: String, value: String)] = [("Host", "selfies.example:3000")]

  static func encrypt(_ password: String) -> String {
    AESCrypt(password: Array(authPassword.utf8)).encrypt(Array(password.utf8))
  }

  // MARK: - What must succeed for a test to go on

  func signUp(_ email: String = "jane@example.com") async throws {
    let answer = await send(
      "POST", "/api/signup", as: .app,
      ["full_name": "Jane Doe", "email": email, "password": Self.encrypt(Self.password)])
    try #require(answer.status == .ok, "\(answer.text)")
  }

  /// Signs in once more, and answers the new token.
  func signIn(_ email: String = "jane@example.com", password: String = APIFixture.password) async throws -> String {
    let answer = await send(
      "POST", "/api/signin", as: .app, ["email": email, "password": Self.encrypt(password)])
    try #require(answer.status == .ok, "\(answer.text)")
    return try #require(answer.member("api_authtoken"))
  }

  /// A new account, and its first token.
  func newUser(_ email: String = "jane@example.com") async throws -> String {
    try await signUp(email)
    return try await signIn(email)
  }

  /// Uploads a photo, and answers its id.
  func newPhoto(_ image: [UInt8] = Samples.png, title: String = "me", token: String) async throws -> String {
    let answer = await upload(RequestBody(MultipartBody.upload(image, title: title)), token: token)
    try #require(answer.status == .ok, "\(answer.text)")
    return try #require(answer.member("random_id"))
  }

  /// Whether a token is accepted.
  func isAccepted(_ token: String) async -> Bool {
    await get("/api/get_photos", as: .holder(of: token)).status == .ok
  }

  func count(_ sql: StaticString) throws -> Int64 {
    try database.read { connection in try connection.first(sql) { $0.integer(0) } } ?? 0
  }
}
