import APITestSupport
import Cryptography
import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import Cluster
@testable import ObjectStorage
@testable import SelfieAPI

/// A process of a cluster: the application with its rows in a shared database, and photos in an object store.
final class ObjectsFixture: Sendable {
  static let isAvailable = PostgreSQLServer.isInstalled && !StoreServer.Product.installed.isEmpty
  static let whatIsNeeded = "needs PostgreSQL's server, and an object store: see .ci/tools"

  let application: Application
  let objects: any PhotoObjects
  let folder: TemporaryFolder
  let log = LogRecorder()
  private let database: any SharedDatabase
  private let hashing = WorkerPool(name: "bcrypt", threads: 1, waiting: 16)
  private let filing = WorkerPool(name: "files", threads: 2, waiting: 256)

  /// The time of all of them.
  private static let now = SettableClock.start

  /// - Parameter folder: another one's, which has ended; a new one if nil.
  init(
    _ database: any SharedDatabase, _ objects: any PhotoObjects, in folder: TemporaryFolder? = nil,
    memory: MemoryBudget = MemoryBudget(), adjust: (inout APISettings) -> Void = { _ in }
  ) throws {
    var settings = APISettings(authName: APIFixture.authName, authPassword: APIFixture.authPassword)
    settings.passwordCost = PasswordHash.costs.lowerBound
    adjust(&settings)
    self.database = database
    self.objects = objects
    self.folder = try folder ?? TemporaryFolder()
    application = Application(
      settings: settings, database: .shared(database),
      // All notes are old enough to be swept.
      photos: try PhotoLibrary(
        database: database, objects: objects, storage: self.folder.path, sweepAfter: 0, pool: filing,
        logger: log.logger),
      hashing: hashing, lists: filing, parsing: filing, memory: memory, clock: { Self.now }, elapsed: { Self.now },
      uptime: { Self.now }, refusalDelay: APIFixture.refusalDelay, logger: log.logger)
  }

  deinit {
    hashing.shutDown()
    filing.shutDown()
  }

  // MARK: - Stores

  /// A store that somebody else wrote.
  static func store(redirects: Bool = false) async throws -> any PhotoObjects {
    let product = try #require(StoreServer.Product.installed.last)
    let access = try await Blocking.run { try product.server().access }
    let settings = try ObjectStoreSettings(
      endpoint: access.endpoint, bucket: access.bucket, region: access.region, accessKeyID: access.accessKeyID,
      secretAccessKey: access.secretAccessKey)
    return BucketObjects(store: ObjectStore(settings), redirects: redirects)
  }

  /// A store that responds as a test says. Its client does not wait before it tries again.
  static func store(on server: RawServer) throws -> any PhotoObjects {
    let settings = try ObjectStoreSettings(
      endpoint: "http://127.0.0.1:\(server.port)", bucket: "selfies", region: "eu-central-1", accessKeyID: "id",
      secretAccessKey: "secret")
    let clock = RetryClock(uptime: { 0 }, sleep: { _ in })
    let store = ObjectStore(settings, timeouts: ClientTimeouts(), threads: 16, clock: clock)
    return BucketObjects(store: store, redirects: false)
  }

  // MARK: - Requests

  func send(_ request: Request) async -> Response { await application.respond(request) }

  func upload(_ image: [UInt8], token: String) async -> Response {
    await send(APIFixture.uploadRequest(RequestBody(MultipartBody.upload(image, title: "me")), token: token))
  }

  /// Uploads a photo, and returns its id.
  func newPhoto(_ image: [UInt8] = Samples.png, token: String) async throws -> String {
    let response = await upload(image, token: token)
    try #require(response.status == .ok, "\(response.text)")
    return try #require(response.member("random_id"))
  }

  func delete(_ id: String, token: String) async -> Response {
    await send(APIFixture.request("DELETE", "/api/delete_photo", as: .holder(of: token), ["photo_id": id]))
  }

  func get(_ target: String, fields: [(name: String, value: String)] = []) async -> Response {
    await send(APIFixture.request("GET", target, fields: fields))
  }

  /// A new account, and its first token.
  func newUser(_ email: String = "jane@example.com") async throws -> (token: Token, letters: String) {
    let user = try await application.users.insert(User(email: email, passwordHash: "none", createdAt: Self.now))
    let issued = IssuedToken(for: user.id, now: Self.now, lifetime: application.tokenLifetime, random: .system)
    try #require(try await application.tokens.issue(issued.token, to: user, checkedPassword: true))
    return (issued.token, issued.letters)
  }

  // MARK: - What is stored

  func rows(_ query: Query) async throws -> Rows { try await database.read(query) }

  func run(_ query: Query) async throws { try await database.write(locking: []) { _ = try $0.run(query) } }

  /// The ids in a column.
  private func ids(_ query: Query) async throws -> [String] { try await rows(query).compactMap { $0.text(0) } }

  var photos: [String] {
    get async throws { try await ids(Query("SELECT random_id FROM photos ORDER BY id")) }
  }

  var notes: [String] {
    get async throws { try await ids(Query("SELECT random_id FROM uploads")) }
  }

  var removed: [String] {
    get async throws { try await ids(Query("SELECT random_id FROM removed_photos")) }
  }

  /// Has the next purge try again what was tried just now.
  func makeClaimsOld() async throws {
    try await run(Query("UPDATE removed_photos SET tried_at = 0"))
  }

  /// Waits until the objects of removed photos are deleted and forgotten, and until no file of an upload is left.
  func waitUntilClean() async throws {
    try await waitUntil { try await removed.isEmpty && folder.files(in: "incoming").isEmpty }
  }
}
