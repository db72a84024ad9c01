import Cryptography
import Foundation
import Logging
import SQLite
import SelfieAPI
import Synchronization
import Platform

/// A database and a folder for photos, as new, which are gone once they are closed.
final class ReplayStorage: Sendable {
  let database: Database
  private let path: String
  private let hashing = WorkerPool(name: "bcrypt", threads: 2, waiting: 64)
  private let filing = WorkerPool(name: "files", threads: 2, waiting: 64)

  init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("replay-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let migrations = try Migrations(directory: Self.migrations) { Digest.hex(Digest.sha256($0)) }
    database = try Database(path: path + "/selfie.sqlite3", migrations: migrations, now: ReplayClock.start)
  }

  func application(clock: ReplayClock) throws -> Application {
    var settings = APISettings(authName: Self.authName, authPassword: Self.authPassword)
    settings.passwordCost = PasswordHash.costs.lowerBound
    let logger = Logger(label: "replay") { _ in SwiftLogNoOpLogHandler() }
    return Application(
      settings: settings, database: database,
      photos: try PhotoLibrary(database: database, storage: path, lane: filing, logger: logger), hashing: hashing,
      listing: filing,
      clock: { clock.now }, logger: logger)
  }

  func close() {
    hashing.shutDown()
    filing.shutDown()
    database.close()
    try? FileManager.default.removeItem(atPath: path)
  }

  static let authName = "admin"
  static let authPassword = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"

  private static let migrations = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().appendingPathComponent("../../../Migrations").standardized.path
}

/// A clock that stands still unless it is moved.
final class ReplayClock: Sendable {
  /// 2026-11-20T22:24:16.641Z.
  static let start: Int64 = 1_795_213_456_641

  private let milliseconds = Atomic<Int64>(start)

  var now: Int64 { milliseconds.load(ordering: .relaxed) }

  func advance(hours: Int64) {
    milliseconds.wrappingAdd(hours * 3_600_000, ordering: .relaxed)
  }
}
