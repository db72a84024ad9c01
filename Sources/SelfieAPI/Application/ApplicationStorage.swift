import Platform
package import SQL
import SQLite

/// Where an application keeps its data. `ApplicationDatabase` has its rows, and `PhotoLibrary` its photos.
package enum ApplicationStorage {
  /// In a folder that exists and that no other process uses.
  ///
  /// If `isDurable` is false, nothing is ever synced, for storage that need not outlive the process. Otherwise what is
  /// acknowledged is on the disk.
  case folder(String, isDurable: Bool = true)
  /// Shared by the processes of a cluster. The database's schema must be up to date. After `sweepAfter` seconds, nothing of
  /// an upload can be under way any more. The folder, for uploads under way, exists, and no other process uses it.
  case shared(any SharedDatabase, any PhotoObjects, sweepAfter: Int, folder: String)

  /// The two parts of a storage that is open.
  struct Opened {
    let database: ApplicationDatabase
    let photos: PhotoLibrary
  }

  func open(in environment: ApplicationEnvironment) throws -> Opened {
    switch self {
    case .folder(let folder, let isDurable): return try Self.open(folder, isDurable: isDurable, in: environment)
    case .shared(let database, let objects, let sweepAfter, let folder):
      let photos = try PhotoLibrary(
        database: database, objects: objects, storage: folder, sweepAfter: sweepAfter, pool: environment.pools.disk,
        logger: environment.logger)
      return Opened(database: .shared(database), photos: photos)
    }
  }

  private static func open(
    _ folder: String, isDurable: Bool, in environment: ApplicationEnvironment
  ) throws -> Opened {
    let layout = StorageLayout(folder: folder)
    let reserve = isDurable ? DiskReserve(path: layout.reserve, byteCount: Readiness.roomForDatabase) : nil
    let openDatabase = {
      try layout.openDatabase(now: environment.clock(), keepsCopy: isDurable, isDurable: isDurable, reserve: reserve)
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
      database: database, storage: folder, isDurable: isDurable, reserve: reserve, pool: environment.pools.disk,
      background: environment.pools.background, logger: environment.logger)
    reserve?.renew()
    return Opened(database: .file(database), photos: photos)
  }
}
