import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

/// Backs up a whole storage into one file, whether a server runs or not.
///
/// First it copies the database as of one instant, then the file of each photo in it. A photo's file never changes and
/// is stored before its row. So a file that is missing was deleted meanwhile, and its row is removed from the copy, as
/// if the photo had been deleted before. The backup then has exactly the photos of its database.
public struct StorageBackup {
  /// The progress of a backup.
  public enum Progress {
    case database(bytes: Int64, of: Int64)
    case photos(Int64, of: Int64, bytes: Int64, ofBytes: Int64)
    case verified(bytes: Int64, of: Int64)
  }

  /// Where the archive is written to.
  private struct Output {
    let file: OpenFile
    let path: String
    /// The name that the manifest has for an instant.
    let manifest: String
  }

  private let layout: StorageLayout
  private let server: String
  private let now: Int64
  /// Where the copy of the database is. SQLite needs locks, which a disk for backups may not have, so the copy is in
  /// the storage.
  private var copyPath: String { layout.databaseCopy }

  /// - Parameters:
  ///   - storage: the folder with the database and the photos.
  ///   - server: the version of this program.
  ///   - now: in Unix milliseconds.
  public init(storage: String, server: String, now: Int64) {
    layout = StorageLayout(folder: storage)
    self.server = server
    self.now = now
  }

  /// Returns once the backup is on the disk. After an error nothing of it remains.
  ///
  /// - Parameters:
  ///   - target: the file to make.
  ///   - replaces: whether to replace an existing file, once the new one is complete.
  ///   - verifies: whether to read the backup again, and check every byte, before it gets its name.
  ///   - progress: may throw an error to end the backup.
  public func make(
    _ target: String, replaces: Bool, verifies: Bool = false, progress: (Progress) throws -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    guard try FileSystem.exists(layout.database) else { throw BackupRefused.noDatabase(layout.database) }
    try Self.check(target, replaces)
    // Only one backup at a time, since all use the same file for the copy.
    let lock = try lock()
    defer { Self.unlock(lock) }
    let partial = try PartialFile(for: target)
    do {
      let output = Output(file: partial.file, path: partial.path, manifest: "\(target).manifest.partial")
      let summary = try write(to: output, folder: FileSystem.parent(of: target), progress)
      try partial.sync()
      if verifies { try verify(partial.path, summary, progress) }
      try Self.check(target, replaces)
      try partial.commit()
      return summary
    } catch {
      partial.discard()
      throw error
    }
  }

  /// Writes the backup to a pipe or a socket. Its reader can tell whether it is complete: the manifest is at its end.
  ///
  /// - Parameter name: of the output, for errors.
  public func stream(
    to output: OpenFile, name: String, progress: (Progress) throws -> Void = { _ in }
  ) throws -> BackupManifest.Summary {
    guard try FileSystem.exists(layout.database) else { throw BackupRefused.noDatabase(layout.database) }
    let lock = try lock()
    defer { Self.unlock(lock) }
    return try write(
      to: Output(file: output, path: name, manifest: layout.backupManifest), folder: nil, progress)
  }

  private static func check(_ target: String, _ replaces: Bool) throws {
    guard let status = try FileSystem.status(target) else { return }
    guard status.kind == .file else { throw BackupRefused.notAFile(target) }
    guard replaces else { throw BackupRefused.exists(target) }
  }

  private func verify(
    _ path: String, _ summary: BackupManifest.Summary, _ progress: (Progress) throws -> Void
  ) throws {
    let (archive, folder) = (try BackupArchive(path: path), layout.backupCheck)
    try FileSystem.removeTree(folder)
    _ = try FileSystem.makeFolder(folder)
    defer { try? FileSystem.removeTree(folder) }
    let found = try archive.extract(to: folder, takesAll: false) {
      try progress(.verified(bytes: $0, of: archive.byteCount))
    }
    guard found == summary else { throw BackupRefused.differs(path) }
  }

  /// Locks the folder itself. A lock file would belong to the user who made the first backup.
  private func lock() throws -> OpenFile {
    let descriptor = open(layout.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileError("open", layout.folder) }
    let file = OpenFile(owning: descriptor)
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw BackupRefused.underWay(layout.folder) }
    return file
  }

  /// Releases the lock at once. A process that another thread starts has a copy of the descriptor until it runs its
  /// program, so that the lock would outlast a close.
  private static func unlock(_ file: OpenFile) {
    flock(file.descriptor, LOCK_UN)
  }

  /// - Parameter folder: that must have room for it; nil: somewhere else.
  private func write(
    to output: Output, folder: String?, _ progress: (Progress) throws -> Void
  ) throws -> BackupManifest.Summary {
    removeCopy()
    defer { removeCopy() }
    let source = try Connection(path: layout.database, mode: .readOnly)
    defer { source.close() }
    let (photos, photoBytes) = try PhotoStore.totals(on: source)
    let databaseBytes = try source.byteCount()
    try checkRoom(databaseBytes, at: layout.folder, "the copy of the database")
    // The sizes in the rows could be wrong, so they are limited to more than any disk has.
    let needed = databaseBytes + min(photoBytes, 1 << 60) + photos * Self.bytesBesidePhoto
    do {
      try source.copy(to: copyPath) { try progress(.database(bytes: $0, of: $1)) }
      if let folder { try checkRoom(needed, at: folder, "the backup") }
      return try writeArchive(to: output, source, progress)
    } catch let error as FileError where error.isDiskFull {
      throw BackupRefused.noRoom(for: "the backup", at: error.path, needed: needed, free: nil)
    } catch let error as SQLiteError where error.isDiskFull {
      throw BackupRefused.noRoom(for: "the copy of the database", at: layout.folder, needed: databaseBytes, free: nil)
    }
  }

  /// A header, half a block of padding, and the line of the manifest twice: in its own file and in the archive.
  private static let bytesBesidePhoto: Int64 = 512 + 256 + 2 * 160

  private func checkRoom(_ needed: Int64, at folder: String, _ what: String) throws {
    let free = try FileSystem.freeBytes(at: folder)
    guard needed <= free else { throw BackupRefused.noRoom(for: what, at: folder, needed: needed, free: free) }
  }

  private func removeCopy() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(copyPath + suffix) }
  }

  private func writeArchive(
    to output: Output, _ source: Connection, _ progress: (Progress) throws -> Void
  ) throws -> BackupManifest.Summary {
    // Without a sync, since the copy is thrown away unless everything succeeds.
    let copy = try Connection(path: copyPath, mode: .readWriteUnsynced)
    defer { copy.close() }
    let head = BackupManifest.Head(
      server: server, madeAt: Timestamp.text(unixMilliseconds: now), schema: try Migrations.last(on: copy) ?? "")
    var archive = BackupWriter(
      archive: ArchiveWriter(to: output.file, path: output.path, modifiedAt: now / 1000),
      manifest: try ManifestWriter(path: output.manifest, head: head))
    var summary = BackupManifest.Summary()
    try addPhotos(to: &archive, &summary, copy, source, progress)
    let credentials = layout.credentials
    if let file = try FileSystem.open(credentials) {
      summary.hasCredentials = true
      _ = try archive.append(.credentials, file, path: credentials)
    }
    summary.users = try UserStore.count(on: copy)
    try copy.endLog()
    copy.close()
    guard let file = try FileSystem.open(copyPath) else { throw FileChanged(path: copyPath) }
    _ = try archive.append(.database, file, path: copyPath)
    try archive.finish(summary)
    return summary
  }

  private func addPhotos(
    to archive: inout BackupWriter, _ summary: inout BackupManifest.Summary, _ copy: Connection, _ source: Connection,
    _ progress: (Progress) throws -> Void
  ) throws {
    let files = PhotoFiles(storage: layout.folder)
    let (count, byteCount) = try PhotoStore.totals(on: copy)
    var seen: Int64 = 0
    var last: Int64 = 0
    while case let page = try PhotoStore.page(after: last, on: copy), let newest = page.last {
      var gone: [String] = []
      for photo in page {
        seen += 1
        guard Photo.isID(photo.randomID.utf8) else { throw BackupRefused.noID(row: photo.id) }
        guard let (file, _) = try files.open(photo.randomID) else {
          gone.append(photo.randomID)
          // A deletion removes the row first. So a photo that still has a row has lost its file.
          if try PhotoStore.exists(randomID: photo.randomID, on: source) {
            summary.missing += 1
          } else {
            summary.deletedMeanwhile += 1
          }
          continue
        }
        let written = try archive.append(
          .photo(id: photo.randomID), file, path: files.path(of: photo.randomID),
          isDamaged: { photo.byteCount != $0 || photo.sha256 ?? $1 != $1 }
        ) { bytes in
          summary.photoBytes += bytes
          try progress(.photos(seen, of: count, bytes: summary.photoBytes, ofBytes: byteCount))
        }
        summary.photos += 1
        if written.isDamaged { summary.damaged += 1 }
      }
      try PhotoStore.remove(gone, on: copy)
      last = newest.id
    }
  }
}

/// Writes an archive and its manifest, which have the same entries in the same order.
private struct BackupWriter {
  var archive: ArchiveWriter
  var manifest: ManifestWriter

  mutating func append(
    _ entry: BackupEntry, _ file: OpenFile, path: String,
    isDamaged: (_ byteCount: Int64, _ sha256: [UInt8]) -> Bool = { _, _ in false },
    progress: (Int64) throws -> Void = { _ in }
  ) throws -> BackupManifest.Entry {
    let (byteCount, sha256) = try archive.append(entry, file, path: path, progress: progress)
    let line = BackupManifest.Entry(
      name: entry.name, byteCount: byteCount, sha256: Digest.hex(sha256), isDamaged: isDamaged(byteCount, sha256))
    try manifest.append(line)
    return line
  }

  mutating func finish(_ summary: BackupManifest.Summary) throws {
    try manifest.finish(summary)
    _ = try archive.append(.manifest, manifest.file, path: manifest.path) { _ in }
    try archive.finish()
  }
}

/// Why no backup is made.
enum BackupRefused: Error, CustomStringConvertible {
  case noDatabase(String)
  case exists(String)
  case notAFile(String)
  case underWay(String)
  case noID(row: Int64)
  case differs(String)
  case noRoom(for: String, at: String, needed: Int64, free: Int64?)

  var description: String {
    switch self {
    case .noDatabase(let path): "There is no database \(path). Set STORAGE_DIR to the server's."
    case .exists(let path): "\(path) exists. Give another name, or --force to replace it."
    case .notAFile(let path): "\(path) is not a plain file."
    case .underWay(let storage): "Another backup of \(storage) is being made."
    case .noID(let row): "Row \(row) of the photos has no id that could be one. Look at it with: selfie-server doctor"
    case .differs(let path): "\(path) has not what was written to it."
    case .noRoom(let what, let place, let needed, let free):
      "There is no room for \(what) at \(place): it needs \(needed) bytes"
        + (free.map { ", and \($0) are free." } ?? ". Make room, and try again.")
    }
  }
}
