import Logging
import Platform
import SQL
import SQLite

extension Application {
  /// Opens the database in `folder`, brings its schema up to date, and repairs what a crash left of the photos.
  ///
  /// - Parameters:
  ///   - folder: must exist, and nobody else may use it meanwhile.
  ///   - memory: counts what clients hold. All applications of a process and its HTTP server share one.
  ///   - isDurable: whether what is acknowledged is on the disk. If false, nothing is ever synced, for storage that need
  ///     not outlive the process.
  ///   - clock: the time in Unix milliseconds, for every rule about time but limits on what clients do within a time.
  ///   - elapsed: monotonic milliseconds, for those limits; the system's if nil.
  /// - Returns: the database's file as well, for what only a file can do, such as backups.
  public static func open(
    folder: String, settings: APISettings, pools: WorkerPools,
    memory: MemoryBudget = MemoryBudget(), isDurable: Bool = true,
    clock: @escaping @Sendable () -> Int64, elapsed: (@Sendable () -> Int64)? = nil, logger: Logger
  ) throws -> (application: Application, file: Database) {
    let layout = StorageLayout(folder: folder)
    let reserve = isDurable ? DiskReserve(path: layout.reserve, byteCount: Readiness.roomForDatabase) : nil
    let openDatabase = {
      try Database(
        path: layout.database, migrations: .sqlite, now: clock(), keepsCopy: isDurable, isDurable: isDurable,
        reserve: reserve)
    }
    let database: Database
    do {
      database = try openDatabase()
    } catch let error as SQLiteError where error.isDiskFull {
      // A client that wants to make room needs a server that starts.
      guard let reserve else { throw error }
      database = try reserve.spend(openDatabase)
    }
    let photos = try PhotoLibrary(
      database: database, storage: folder, isDurable: isDurable, reserve: reserve, pool: pools.disk,
      background: pools.background, logger: logger)
    reserve?.renew()
    let application = Application(
      settings: settings, database: .file(database), photos: photos, hashing: pools.hashing, lists: pools.lists,
      parsing: pools.parsing, memory: memory, clock: clock, elapsed: elapsed, logger: logger)
    return (application, database)
  }

  /// Opens what the processes of a cluster share. The database's schema must be up to date.
  ///
  /// - Parameters:
  ///   - sweepAfter: the seconds after which nothing of an upload can be under way any more.
  ///   - folder: for uploads under way. It must exist, and no other process may use it.
  ///   - memory: as above.
  ///   - clock: as above. The rows that processes write are compared by it, so the clocks of their machines must agree.
  ///   - elapsed: as above.
  package static func open(
    shared: any SharedDatabase, objects: any PhotoObjects, sweepAfter: Int, folder: String, settings: APISettings,
    pools: WorkerPools, memory: MemoryBudget = MemoryBudget(), clock: @escaping @Sendable () -> Int64,
    elapsed: (@Sendable () -> Int64)? = nil, logger: Logger
  ) throws -> Application {
    let photos = try PhotoLibrary(
      database: shared, objects: objects, storage: folder, sweepAfter: sweepAfter, pool: pools.disk, logger: logger)
    return Application(
      settings: settings, database: .shared(shared), photos: photos, hashing: pools.hashing, lists: pools.lists,
      parsing: pools.parsing, memory: memory, clock: clock, elapsed: elapsed, logger: logger)
  }

  /// Finishes the writes that were accepted, then closes the database. Blocks until then.
  public func close() {
    database.close()
  }
}
