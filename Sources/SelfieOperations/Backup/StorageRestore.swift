import Cryptography
import Glibc
import Platform
import SQLite
import SelfieAPI

/// Puts a backup into an empty storage, all of it or nothing.
///
/// Everything is taken out into `restoring/`, checked there, and then given its place, the database last. For as long
/// as that folder has anything in it, ``isUnfinished(in:)`` keeps servers off.
public struct StorageRestore {
  /// What an empty storage may have: a checkout's, a lock's, an ext4 file system's own, and what is left of a restore.
  private static let negligible: Set<String> = [
    ".gitkeep", StorageLayout.lock, StorageLayout.lostAndFound, StorageLayout.restoring,
  ]

  private let target: StorageLayout
  /// What has been taken out of the archive so far, laid out as in a storage.
  private let source: StorageLayout

  /// - Parameter storage: the folder of everything that is kept.
  public init(storage: String) {
    target = StorageLayout(folder: storage)
    source = StorageLayout(folder: target.restoring)
  }

  /// Whether a restore has ended before its end, so that nobody may use the storage but another restore. For whoever
  /// holds the storage's lock.
  public static func isUnfinished(in storage: String) -> Bool {
    // One that was interrupted when all had its place has left the empty folder.
    rmdir(StorageLayout(folder: storage).restoring) != 0 && errno != ENOENT
  }

  /// Throws unless a backup may be restored here. A storage that is not there is empty.
  public func checkEmpty() throws {
    guard try FileSystem.exists(target.folder) else { return }
    let names = Set(try FileSystem.names(in: target.folder)).subtracting(Self.negligible)
    let mine = try placed()
    guard names.isSubset(of: mine) else {
      throw NotEmpty(storage: target.folder, names: names.subtracting(mine).sorted())
    }
  }

  /// What an interrupted restore has given its place already: it is gone from the folder, where the database is still.
  private func placed() throws -> Set<String> {
    guard try FileSystem.exists(source.database) else { return [] }
    return Set(try Self.placedFirst.filter { try !FileSystem.exists(source.path($0)) })
  }

  private static let placedFirst = [StorageLayout.photos, StorageLayout.incoming, StorageLayout.credentials]

  /// Returns when all is on the disk, and so does a server that is started then. On an error the storage is as empty
  /// as before.
  ///
  /// Nobody else may use the storage meanwhile.
  ///
  /// - Parameters:
  ///   - migrations: which the backup's database must not be ahead of.
  ///   - progress: is told how many bytes of the archive are read. What it throws ends the restore.
  public func run(
    _ archive: BackupArchive, migrations: Migrations, progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    try checkEmpty()
    do {
      try clear()
      for folder in [source.folder, source.photos, source.incoming] {
        _ = try FileSystem.makeFolder(folder)
      }
      let free = try FileSystem.freeBytes(at: target.folder)
      guard archive.byteCount <= free else {
        throw BackupRefused.noRoom(for: "what is restored", at: target.folder, needed: archive.byteCount, free: free)
      }
      let summary = try archive.extract(to: source.folder, takesAll: true, progress: progress)
      try checkSchema(migrations)
      try place()
      return summary
    } catch {
      try? clear()
      throw error
    }
  }

  private func checkSchema(_ migrations: Migrations) throws {
    let connection = try Connection(path: source.database, mode: .readOnly)
    defer {
      connection.close()
      BackupArchive.removeBeside(database: source.database)
    }
    _ = try migrations.pending(on: connection)
  }

  private func place() throws {
    try FileSystem.syncFolder(source.folder)
    try FileSystem.syncFolder(target.folder)
    for name in Self.placedFirst where try FileSystem.exists(source.path(name)) {
      try FileSystem.rename(source.path(name), to: target.path(name))
    }
    try FileSystem.syncFolder(target.folder)
    try FileSystem.rename(source.database, to: target.database)
    try FileSystem.syncFolder(source.folder)
    try FileSystem.syncFolder(target.folder)
    rmdir(source.folder)
  }

  /// Removes what a restore that was not finished has left.
  private func clear() throws {
    for name in try placed() { try FileSystem.removeTree(target.path(name)) }
    try FileSystem.removeTree(source.folder)
  }
}

/// A backup is not mixed with what is there.
private struct NotEmpty: Error, CustomStringConvertible {
  let storage: String
  let names: [String]

  var description: String {
    let some = names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and more" : "")
    return """
      \(storage) is not empty: it has \(some). Move that away, or set STORAGE_DIR to a folder that is empty or not there.
      """
  }
}
