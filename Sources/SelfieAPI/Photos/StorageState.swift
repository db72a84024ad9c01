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
      // SQLite follows a link, and makes a new database where it leads.
      for path in [database, photos, incoming] where FileSystem.realPath(path) == nil {
        guard try FileSystem.exists(path) else { continue }
        return .incomplete("\(path) is a link that leads nowhere. Mount its disk, or correct the link.")
      }
      let file = try FileSystem.realPath(database).flatMap { path throws(FileError) in try FileSystem.status(path) }
      if let file, file.kind != .file || file.byteCount > 0 { return .whole }
      let loss = "\(Self.database) is \(file == nil ? "missing" : "empty")"
      let rest = try belongings
      guard !rest.isEmpty else { return .new }
      return .incomplete(
        "\(folder) has \(rest.joined(separator: " and ")), and \(loss). Put \(Self.database) back beside them, or move "
          + "them away and restore a backup: selfie-server restore FILE")
    }
  }

  /// What is here that belongs to a database.
  private var belongings: [String] {
    get throws(FileError) {
      guard FileSystem.isFolder(folder) else { return [] }
      let photos = try photoCount
      var found = photos > 0 ? ["\(counted(photos, "photo"))"] : []
      for suffix in ["-wal", "-journal"] {
        guard let log = try FileSystem.status(path(Self.database + suffix)), log.byteCount > 0 else { continue }
        found.append("a log of the database (\(suffix))")
      }
      // Upgrades and repairs make them.
      let copy = try FileSystem.names(in: folder).filter { $0.hasPrefix("\(Self.database).before-") }.max()
      if let copy { found.append("a copy of the database (\(copy))") }
      return found
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
      throw ConfigurationError(error.inWords)
    }
  }
}
