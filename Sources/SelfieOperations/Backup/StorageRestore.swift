import Glibc
import Platform
import SQL
import SelfieAPI

/// Restores a backup into an empty storage, completely or not at all. `PhotoRestore` restores a single photo.
///
/// It extracts everything to `restoring/` and checks it there, then moves it to its place, the database last. As long
/// as that folder has anything in it, ``isUnfinished(in:)`` keeps servers from starting.
package struct StorageRestore {
  /// The names that an empty storage may have: of a lock, a disk's reserve, and an interrupted restore.
  private static let negligible: Set = [StorageLayout.lock, StorageLayout.reserve, StorageLayout.restoring]

  private let target: StorageLayout
  /// Everything that was extracted so far, laid out as in a storage.
  private let source: StorageLayout

  /// - Parameter storage: the folder with the database and the photos.
  package init(storage: String) {
    target = StorageLayout(folder: storage)
    source = StorageLayout(folder: target.restoring)
  }

  /// Whether a restore was interrupted, so that only another restore may use the storage. The caller must hold the
  /// storage's lock.
  package static func isUnfinished(in storage: String) -> Bool {
    // A restore that was interrupted after it moved everything has left the folder empty.
    rmdir(StorageLayout(folder: storage).restoring) != 0 && errno != ENOENT
  }

  /// Throws unless a backup may be restored here. A folder that does not exist counts as empty.
  package func checkEmpty() throws {
    guard try FileSystem.exists(target.folder) else { return }
    let names = Set(try FileSystem.names(in: target.folder)).subtracting(Self.negligible)
    let others = names.subtracting(try placed()).filter { !StorageLayout.isNegligible($0) }.sorted()
    guard !others.isEmpty else { return }
    let some = others.prefix(5).joined(separator: ", ") + (others.count > 5 ? " and more" : "")
    throw OperationError(
      """
      \(target.folder) is not empty: it has \(some). Move that away, or set STORAGE_DIR to a folder that is empty or not \
      there.
      """)
  }

  /// The names that an interrupted restore has already moved. The database is moved last, so it is still in
  /// `restoring/`.
  private func placed() throws -> Set<String> {
    guard try FileSystem.exists(source.database) else { return [] }
    return Set(try Self.placedFirst.filter { try !FileSystem.exists(source.path($0)) })
  }

  private static let placedFirst = [StorageLayout.photos, StorageLayout.incoming, StorageLayout.credentials]

  /// Returns once everything is on the disk and a server can start. After an error the storage is as empty as before.
  ///
  /// No other process may use the storage meanwhile.
  ///
  /// - Parameter progress: receives how many bytes of the archive were read. An error that it throws ends the restore.
  package func run(
    _ archive: BackupArchive, progress: (_ bytes: Int64) throws -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    try checkEmpty()
    do {
      try clear()
      _ = try FileSystem.makeFolder(source.folder)
      // No server could start on a file system without hard links.
      try PhotoFiles(storage: source.folder).prepare()
      try OperationError.checkRoom(archive.byteCount, at: target.folder, for: "what is restored")
      let summary = try archive.extract(to: source.folder, migrations: .sqlite, progress: progress) { _ in true }
      try place()
      return summary
    } catch {
      try? clear()
      throw error
    }
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

  /// Removes what an interrupted restore has left.
  private func clear() throws {
    for name in try placed() { try FileSystem.removeTree(target.path(name)) }
    try FileSystem.removeTree(source.folder)
  }
}
