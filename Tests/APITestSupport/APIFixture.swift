import Cryptography
import Glibc
import HTTPServer
import Platform
import SQLite
import SelfieAPI
import SelfieTestControl
import TestSupport

/// The application on a database and photos of its own in a temporary folder, at a time that the test sets. Its rows are
/// in ``TestDatabase/shared`` instead, if there is one.
package final class APIFixture: Sendable {
  package static let authName = "admin"
  package static let authPassword = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"

  /// So short that a test does not wait for it.
  package static let refusalDelay = Duration.milliseconds(1)

  package let folder: TemporaryFolder
  package let clock: SettableClock
  package let log = LogRecorder()
  /// Of the file.
  package let database: Database
  package let application: Application
  /// What clients hold.
  package let memory: MemoryBudget
  package let state: StoredState
  /// The photos, if the rows are in a shared database.
  package let objects: any PhotoObjects
  private let hashing = WorkerPool(name: "bcrypt", threads: 2, waiting: 256)
  private let filing = WorkerPool(name: "files", threads: 2, waiting: 256)

  /// - Parameters:
  ///   - objects: keeps the photos in memory if nil, and notes of uploads longer than a test takes.
  ///   - adjust: changes the settings from their defaults; bcrypt's cost is the lowest already.
  package convenience init(
    clock: SettableClock = SettableClock(), memory: MemoryBudget = MemoryBudget(), objects: (any PhotoObjects)? = nil,
    adjust: (inout APISettings) -> Void = { _ in }
  ) throws {
    try self.init(folder: TemporaryFolder(), clock: clock, memory: memory, objects: objects, adjust: adjust)
  }

  /// Starts on what another one left, which ends with that.
  package convenience init(after other: APIFixture, clock: SettableClock? = nil) throws {
    other.finishFiling()
    other.database.close()
    try self.init(folder: other.folder, clock: clock ?? other.clock, memory: other.memory) { _ in }
  }

  private init(
    folder: TemporaryFolder, clock: SettableClock, memory: MemoryBudget, objects: (any PhotoObjects)? = nil,
    adjust: (inout APISettings) -> Void
  ) throws {
    // As the program does: writing to a client that has gone is an error.
    signal(SIGPIPE, SIG_IGN)
    var settings = APISettings(authName: Self.authName, authPassword: Self.authPassword)
    settings.passwordCost = PasswordHash.costs.lowerBound
    adjust(&settings)
    self.folder = folder
    self.clock = clock
    self.memory = memory
    self.objects = objects ?? MemoryObjects()
    database = try Database(path: "\(folder.path)/selfie.sqlite3", migrations: .sqlite, now: clock.now)
    let photos =
      if let shared = TestDatabase.shared {
        try PhotoLibrary(
          database: shared, objects: self.objects, storage: folder.path, sweepAfter: objects == nil ? 600 : 0,
          pool: filing, logger: log.logger)
      } else {
        try PhotoLibrary(database: database, storage: folder.path, pool: filing, logger: log.logger)
      }
    var environment = ApplicationEnvironment(
      pools: WorkerPools(hashing: hashing, disk: filing, lists: filing, parsing: filing, background: filing),
      memory: memory, clock: { clock.now }, logger: log.logger)
    environment.elapsed = { clock.now }
    environment.uptime = { clock.now }
    environment.refusalDelay = Self.refusalDelay
    application = Application(
      settings: settings, database: TestDatabase.shared.map { .shared($0) } ?? .file(database), photos: photos,
      in: environment)
    state = StoredState(of: application, in: database)
  }

  deinit {
    hashing.shutDown()
    filing.shutDown()
    database.close()
  }

  /// Deletes what expired long ago, as two calls an hour apart do.
  package func forgetExpired() async throws {
    for _ in 0..<2 { try await application.upkeep.forgetExpired() }
  }

  /// Finishes what nobody has waited for. Nothing can be uploaded afterwards.
  package func finishFiling() {
    filing.shutDown()
  }

  /// A password as the apps send it.
  package static func encrypt(_ password: String) -> String {
    AESCrypt(password: Array(authPassword.utf8)).encrypt(Array(password.utf8))
  }

  /// Runs a test against a server of the application on a free port, and stops that afterwards.
  package func serve(_ test: (_ port: Int) async throws -> Void) async throws {
    let listener = try Listener(host: "127.0.0.1", port: 0)
    var limits = Limits()
    limits.drainTimeout = 2_000
    let server = try Server(
      listener: listener, loopCount: 2, limits: limits, memory: memory,
      responder: Responder(
        reply: application.reply(to:), refuse: application.refuse, endOfTurn: application.endOfTurn))
    try await Blocking.run { try server.start() }
    let result: Result<Void, any Error>
    do {
      result = .success(try await test(listener.port))
    } catch {
      result = .failure(error)
    }
    try await Blocking.run { server.stop() }
    try result.get()
  }
}
