import Cryptography
import Foundation
import HTTPServer
import Logging
import SQLite
import SelfieAPI
import Synchronization
import Platform

/// A server of the real parts, in this process: on a free port, with its storage in a temporary folder, at a time that
/// the test sets.
struct LocalServer: Sendable {
  static let authName = "MYAPIADMINNAME"
  static let authPassword = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"

  let port: Int
  let folder: TemporaryFolder
  let clock: SettableClock

  var address: String { "http://127.0.0.1:\(port)" }

  /// The app, set up for this server.
  var app: TutorialApp {
    TutorialApp(
      helper: HTTPHelper(
        apiAuthName: Self.authName, apiAuthPassword: Self.authPassword, baseURL: "\(address)/api"))
  }

  /// Runs a test against a server, and stops that afterwards.
  static func run(
    adjust: (inout APISettings) -> Void = { _ in }, _ test: (LocalServer) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder()
    let clock = SettableClock()
    var settings = APISettings(authName: authName, authPassword: authPassword)
    settings.passwordCost = PasswordHash.costs.lowerBound
    adjust(&settings)
    let hashing = WorkerPool(name: "bcrypt", threads: 2, waiting: 64)
    let filing = WorkerPool(name: "files", threads: 2, waiting: 64)
    let database = try Database(
      path: "\(folder.path)/selfie.sqlite3",
      migrations: try Migrations(directory: "\(checkout)/Migrations") { Digest.hex(Digest.sha256($0)) }, now: clock.now)
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let application = Application(
      settings: settings, database: database,
      photos: try PhotoLibrary(database: database, storage: folder.path, lane: filing, logger: logger),
      hashing: hashing, listing: filing, clock: { clock.now }, logger: logger)
    let listener = try Listener(host: "127.0.0.1", port: 0)
    var limits = Limits()
    limits.drain = 2_000
    let server = try Server(
      listener: listener, loopCount: 2, limits: limits,
      service: Service(respond: application.respond, refuse: application.refuse, turn: application.turn))
    try server.start()

    let result: Result<Void, any Error>
    do {
      try await test(LocalServer(port: listener.port, folder: folder, clock: clock))
      result = .success(())
    } catch {
      result = .failure(error)
    }
    // It waits for threads, which a task must not.
    let stopping = WorkerPool(name: "stopping", threads: 1, waiting: 1)
    try await stopping.run {
      server.stop()
      hashing.shutDown()
      filing.shutDown()
      database.close()
    }
    stopping.shutDown()
    try result.get()
  }
}

/// A time that stands still until a test moves it.
final class SettableClock: Sendable {
  /// 2026-11-20T22:24:16.641Z, in unix milliseconds.
  private let milliseconds = Mutex<Int64>(1_795_213_456_641)

  var now: Int64 { milliseconds.withLock { $0 } }

  func advance(seconds: Int64) {
    milliseconds.withLock { $0 += seconds * 1000 }
  }
}
