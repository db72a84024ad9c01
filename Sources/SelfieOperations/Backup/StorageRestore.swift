import Cryptography
import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI

/// Restores a backup into an empty storage, completely or not at all. PhotoRestore.swift puts a single photo back.
///
/// It extracts everything to `restoring/` and checks it there, then moves it to its place, the database last. As long
/// as that folder has anything in it, ``isUnfinished(in:)`` keeps servers from starting.
package struct StorageRestore {
  /// The names that an empty storage may have: of a lock, a disk's reserve, and an interrupted restore.
  private static let negligible: Set = [StorageLayout.lock, StorageLayout.reserve, StorageLayout.restoring]

  private let target: StorageLayout
  /// Everything that was extracted so far, laid out as in a storage.
  private let source: StorageLayout
  /// Lists what is about to be moved, with its inodes, so that another run removes nothing else.
  private var placing: String { source.path("placing") }

  /// - Parameter storage: the folder with the database and the photos.
  package init(storage: String) {
    target = StorageLayout(folder: storage)
    source = StorageLayout(folder: target.restoring)
  }

  /// Whether a restore was interrupted, so that only another restore may use the storage. The caller must hold the
  /// storage's lock.
  package static func isUnfinished(in storage: String) -> Bool {
    let restore = StorageRestore(storage: storage)
    // One that was interrupted after it moved everything has left the list, or an empty folder.
    if access(restore.placing, F_OK) == 0, access(restore.source.database, F_OK) != 0,
      access(restore.target.database, F_OK) == 0
    {
      unlink(restore.placing)
    }
    return rmdir(restore.source.folder) != 0 && errno != ENOENT
  }

  /// Throws unless a backup may be restored here. A folder that does not exist counts as empty.
  package func checkEmpty() throws {
    guard try FileSystem.exists(target.folder) else { return }
    let names = Set(try FileSystem.names(in: target.folder)).subtracting(Self.negligible)
    let others = names.subtracting(try placed()).filter { !StorageLayout.isNegligible($0) }.sorted()
    guard !others.isEmpty else { return }
    let some = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? " and more" : "")
    throw OperationError(
      "\(target.folder) is not empty: it has \(some). Move that away, or set STORAGE_DIR to another folder.")
  }

  /// The names that an interrupted restore has moved, and that nobody has replaced since.
  private func placed() throws -> [String] {
    let lines = try FileSystem.contents(of: placing, maxBytes: 4096).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return try lines.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
      guard parts.count == 2, try FileSystem.status(target.path(parts[1]))?.inode == UInt64(parts[0]) else {
        return nil
      }
      return parts[1]
    }
  }

  private static let inOrder = [
    StorageLayout.photos, StorageLayout.incoming, StorageLayout.credentials, StorageLayout.database,
  ]

  /// Returns once everything is on the disk and a server can start. After an error the storage is as empty as before. The
  /// restored storage begins a new line of backups.
  ///
  /// No other process may use the storage meanwhile.
  ///
  /// - Parameters:
  ///   - check: of the backup. It must be whole, unless it skips what is damaged.
  ///   - now: in Unix milliseconds.
  package func run(_ check: BackupCheck, now: Int64) throws -> CheckedBackup {
    try checkEmpty()
    do {
      try clear()
      _ = try FileSystem.makeFolder(source.folder)
      // No server could start on a file system without hard links.
      try PhotoFiles(storage: source.folder).prepare()
      var found = try check.run(in: source.folder, restores: true)
      guard found.lost == 0 || check.skipsDamaged else {
        throw check.source.damage("\(counted(found.lost, "photo")) in it, listed above, cannot be restored")
      }
      if let credentials = try check.source.credentials() { _ = try credentials.copy(to: source.credentials) }
      // The command says that the backup has none if it is left out.
      if try !CredentialsFile.keep(in: source, skip: check.skipsDamaged ? { _ in } : nil) {
        found.hasCredentials = false
      }
      try beginLine(now)
      try place()
      return found
    } catch {
      try? clear()
      throw error
    }
  }

  private func beginLine(_ now: Int64) throws {
    let connection = try Connection(path: source.database, mode: .exclusive)
    defer { connection.close() }
    // A database of an earlier version gets its line from a migration.
    guard (try? connection.first(BackupStateStore.state, as: BackupState.self)) != nil else { return }
    try connection.transaction { try connection.beginLine(Digest.hex(RandomSource.system.bytes(8)), now: now) }
  }

  private func place() throws {
    guard let database = try FileSystem.open(source.database) else {
      throw OperationError("\(source.database) is gone.")
    }
    try FileSystem.sync(database, path: source.database)
    for folder in try FileSystem.names(in: source.photos) { try FileSystem.syncFolder("\(source.photos)/\(folder)") }
    let names = try Self.inOrder.filter { try FileSystem.exists(source.path($0)) }
    let lines = try names.map { "\(try FileSystem.status(source.path($0))?.inode ?? 0) \($0)\n" }
    try FileSystem.write(Array(lines.joined().utf8), toNew: placing)
    for folder in [source.photos, source.folder, target.folder] { try FileSystem.syncFolder(folder) }
    for name in names {
      if name == StorageLayout.database { try FileSystem.syncFolder(target.folder) }
      try FileSystem.renameWithoutReplacing(source.path(name), to: target.path(name))
    }
    try FileSystem.syncFolder(source.folder)
    try FileSystem.syncFolder(target.folder)
    try FileSystem.removeTree(source.folder)
  }

  /// Removes what an interrupted restore has left.
  private func clear() throws {
    for name in try placed() { try FileSystem.removeTree(target.path(name)) }
    // Before the files that it names, whose inodes may be those of other files afterwards.
    try FileSystem.remove(placing)
    try FileSystem.removeTree(source.folder)
  }
}
