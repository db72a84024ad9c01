package import Platform
package import SQLite

/// Whether a folder is a storage, found out before anything in it is opened or changed.
///
/// SQLite makes a new database where there is none, or an empty file, and then deletes the log of the old one. Photos
/// without their rows look like leftovers. So a folder that has photos or a log and no database is left alone.
package enum StorageState: Sendable, Equatable {
  /// Nothing of a storage is here.
  case new
  case whole
  /// The database is missing or empty, and something that belongs to it is here. Says what, and what to do.
  case incomplete(String)
}

extension StorageLayout {
  /// Changes nothing.
  package var storageState: StorageState {
    get throws(FileError) {
      let database = try FileSystem.status(database)
      // SQLite follows a link.
      if let database, database.kind != .file || database.byteCount > 0 { return .whole }
      let loss = "\(Self.database) is \(database == nil ? "missing" : "empty")"
      let log = try FileSystem.status(path("\(Self.database)-wal"))?.byteCount ?? 0
      let photos = try photoCount
      guard log > 0 || photos > 0 else { return .new }
      let rest = (photos > 0 ? ["\(counted(photos, "photo"))"] : []) + (log > 0 ? ["a log of the database (-wal)"] : [])
      return .incomplete(
        "\(folder) has \(rest.joined(separator: " and ")), and \(loss). Put \(Self.database) back beside them, or move "
          + "them away and restore a backup: selfie-server restore FILE")
    }
  }

  /// How many files of photos and of uploads there are, with rows or without.
  package var photoCount: Int {
    get throws(FileError) {
      var count = 0
      for id in try photoIDs(in: incoming) where try !FileSystem.exists(photo(id)) { count += 1 }
      guard FileSystem.isFolder(photos) else { return count }
      for name in try FileSystem.names(in: photos) where Self.isPhotoFolder(name) {
        count += try photoIDs(in: "\(photos)/\(name)").count
      }
      return count
    }
  }

  private func photoIDs(in folder: String) throws(FileError) -> [String] {
    guard FileSystem.isFolder(folder) else { return [] }
    return try FileSystem.names(in: folder).filter { Photo.isID($0.utf8) }
  }

  /// Opens the database, or makes one in a folder that is new.
  ///
  /// - Throws: `ConfigurationError` for a storage that is incomplete or damaged, or what `Database` throws.
  package func openDatabase(
    now: Int64, keepsCopy: Bool = true, isDurable: Bool = true, reserve: DiskReserve? = nil
  ) throws -> Database {
    if case .incomplete(let problem) = try storageState { throw ConfigurationError(problem) }
    do {
      return try Database(
        path: database, migrations: .sqlite, now: now, keepsCopy: keepsCopy, isDurable: isDurable, reserve: reserve)
    } catch let error as SQLiteError where error.isDamage {
      throw ConfigurationError("\(error). \(SQLiteError.damageRemedy)")
    }
  }
}
