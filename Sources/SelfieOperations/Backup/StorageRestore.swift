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
  private static let folderName = "restoring"
  /// What an empty storage may have: a checkout's, a lock's, an ext4 file system's own, and what is left of a restore.
  private static let negligible: Set<String> = [
    ".gitkeep", "lock", "lost+found", folderName,
  ]

  private let storage: String
  private var folder: String { "\(storage)/\(Self.folderName)" }

  /// - Parameter storage: the folder of everything that is kept.
  public init(storage: String) {
    self.storage = storage
  }

  /// Whether a restore has ended before its end, so that nobody may use the storage but another restore. For whoever
  /// holds the storage's lock.
  public static func isUnfinished(in storage: String) -> Bool {
    // One that was interrupted when all had its place has left the empty folder.
    rmdir("\(storage)/\(folderName)") != 0 && errno != ENOENT
  }

  /// Throws unless a backup may be restored here. A storage that is not there is empty.
  public func checkEmpty() throws {
    guard try FileSystem.exists(storage) else { return }
    let names = Set(try FileSystem.names(in: storage)).subtracting(Self.negligible)
    let mine = try placed()
    guard names.isSubset(of: mine) else {
      throw NotEmpty(storage: storage, names: names.subtracting(mine).sorted())
    }
  }

  /// What an interrupted restore has given its place already: it is gone from the folder, where the database is still.
  private func placed() throws -> Set<String> {
    guard try FileSystem.exists("\(folder)/selfie.sqlite3") else { return [] }
    return Set(try Self.placedFirst.filter { try !FileSystem.exists("\(folder)/\($0)") })
  }

  private static let placedFirst = ["photos", "incoming", "credentials.env"]

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
      for name in ["", "/photos", "/incoming"] { _ = try FileSystem.makeFolder(folder + name) }
      let free = try FileSystem.freeBytes(at: storage)
      guard archive.byteCount <= free else {
        throw BackupRefused.noRoom(for: "what is restored", at: storage, needed: archive.byteCount, free: free)
      }
      let summary = try archive.extract(to: folder, takesAll: true, progress: progress)
      try checkSchema(migrations)
      try place()
      return summary
    } catch {
      try? clear()
      throw error
    }
  }

  private func checkSchema(_ migrations: Migrations) throws {
    let connection = try Connection(path: "\(folder)/selfie.sqlite3", mode: .readOnly)
    defer {
      connection.close()
      BackupArchive.removeBeside(database: "\(folder)/selfie.sqlite3")
    }
    _ = try migrations.pending(on: connection)
  }

  private func place() throws {
    try FileSystem.syncFolder(folder)
    try FileSystem.syncFolder(storage)
    for name in Self.placedFirst where try FileSystem.exists("\(folder)/\(name)") {
      try FileSystem.rename("\(folder)/\(name)", to: "\(storage)/\(name)")
    }
    try FileSystem.syncFolder(storage)
    try FileSystem.rename("\(folder)/selfie.sqlite3", to: "\(storage)/selfie.sqlite3")
    try FileSystem.syncFolder(folder)
    try FileSystem.syncFolder(storage)
    rmdir(folder)
  }

  /// Removes what a restore that was not finished has left.
  private func clear() throws {
    for name in try placed() { try FileSystem.removeTree("\(storage)/\(name)") }
    try FileSystem.removeTree(folder)
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
