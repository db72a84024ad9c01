import Logging
import SQLite

/// An application with everything it keeps, in one folder.
public struct StoredApplication: Sendable {
  public let application: Application
  /// What opening the database has done to its schema.
  public let upgrade: Upgrade
  private let database: Database

  /// What becomes of what is stored.
  public enum Durability: Sendable {
    /// What is acknowledged is on the disk.
    case durable
    /// Nothing is synced: for what need not outlive the process.
    case none
  }

  /// Opens the database in `folder`, brings it up to date, and puts right what a crash left of the photos.
  ///
  /// - Parameters:
  ///   - folder: exists; nobody else uses it meanwhile.
  ///   - settings: asked for when nothing else can fail.
  ///   - clock: the time in unix milliseconds; every rule about time follows it.
  public init(
    folder: String, settings: @autoclosure () throws -> APISettings, migrations: Migrations, pools: WorkerPools,
    durability: Durability = .durable, clock: @escaping @Sendable () -> Int64, logger: Logger
  ) throws {
    let isDurable = durability == .durable
    database = try Database(
      path: Self.databasePath(in: folder), migrations: migrations, now: clock(), keepsCopy: isDurable,
      isDurable: isDurable)
    upgrade = database.upgrade
    let photos = try PhotoLibrary(
      database: database, storage: folder, isDurable: isDurable, lane: pools.disk, background: pools.background,
      logger: logger)
    application = Application(
      settings: try settings(), database: database, photos: photos, hashing: pools.hashing, listing: pools.lists,
      clock: clock, logger: logger)
  }

  public static func databasePath(in folder: String) -> String { "\(folder)/selfie.sqlite3" }

  /// Does what was accepted, and closes the database. Blocks meanwhile.
  public func close() {
    database.close()
  }
}
