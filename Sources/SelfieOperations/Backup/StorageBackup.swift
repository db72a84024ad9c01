import Glibc
import HTTPMessages
package import Platform
import SQL
import SQLite
import SelfieAPI

/// Backs up a whole storage into one file, whether a server runs or not. The storage need have no room, and may be
/// read-only: everything is written beside that file. `BackupWriter` writes the file, and `ScheduledBackups` decides
/// when a backup is due.
///
/// First it copies the database as of one instant, then the file of each photo in it. A photo's file never changes and
/// is stored before its row. So a file that is missing was deleted meanwhile, and its row is removed from the copy, as
/// if the photo had been deleted before. The backup then has exactly the photos of its database.
package struct StorageBackup {
  /// Receives how far the backup has come, and whether it reads the storage's database, whose log then grows.
  package typealias Report = (_ progress: Progress, _ readsDatabase: Bool) throws -> Void

  private let layout: StorageLayout
  private let now: Int64
  private let report: Report
  private let lost: (_ file: String) -> Void
  private let isByHand: Bool

  /// - Parameters:
  ///   - storage: the folder with the database and the photos.
  ///   - now: in Unix milliseconds.
  ///   - isByHand: whether to note in the storage that there was a backup. The folder of automatic ones says that itself.
  ///   - report: may throw an error to end the backup.
  ///   - lost: receives each file that cannot be read and so is left out, and each that is damaged, with the reason.
  package init(
    storage: String, now: Int64, isByHand: Bool = true, report: @escaping Report = { _, _ in },
    lost: @escaping (_ file: String) -> Void = { _ in }
  ) {
    layout = StorageLayout(folder: storage)
    (self.now, self.isByHand, self.report, self.lost) = (now, isByHand, report, lost)
  }

  /// When the last backup by hand that lacks nothing was made, in Unix milliseconds; nil if that is not known.
  static func lastByHand(of layout: StorageLayout) -> Int64? {
    (try? FileSystem.status(layout.lastBackup)).map { $0.modifiedAt * 1000 }
  }

  /// Returns once the backup is on the disk. After an error nothing of it remains.
  ///
  /// - Parameters:
  ///   - target: the file to make.
  ///   - replaces: whether to replace an existing file, once the new one is complete.
  ///   - verifies: whether to read the backup again, and check every byte, before it gets its name.
  package func make(_ target: String, replaces: Bool, verifies: Bool = false) throws -> BackupManifest.Summary {
    guard !FileSystem.isInside(FileSystem.parent(of: target), layout.folder) else {
      throw OperationError("\(target) is in the storage. Name a file outside it, preferably on another disk.")
    }
    return try whileLocked {
      try PartialFile.make(target, replaces: replaces) { partial in
        let work = "\(partial.path).d"
        let summary = try withFolder(work) { try write(to: partial.file, partial.path, work: $0, isBeside: true) }
        try partial.sync()
        if replaces { try check(partial.path, summary, mayReplace: target) }
        if verifies { try withFolder(work) { try verify(partial.path, summary, in: $0) } }
        return summary
      }
    }
  }

  /// An older backup may have the photos that the storage has lost. It may also be of another storage, whose disk is not
  /// mounted now; if it does not say of which it is, one of an empty storage does not replace it.
  private func check(_ partial: String, _ summary: BackupManifest.Summary, mayReplace target: String) throws {
    guard try FileSystem.exists(target) else { return }
    let (new, old) = (try BackupArchive(path: partial).head, (try? BackupArchive(path: target))?.head)
    let isOther = old.map { $0.storage != new.storage && ($0.storage != nil || summary.users == 0) } ?? false
    guard isOther || summary.missing > 0 else { return }
    let reason = isOther ? "is a backup of another storage" : "may have photos that the storage has lost"
    throw OperationError(
      "\(target) \(reason), so it is not replaced. Make the backup under another name, and run selfie-server doctor.")
  }

  /// Writes the backup to a pipe or a socket. Its reader can tell whether it is complete: the manifest is at its end. The
  /// copy of the database is in TMPDIR.
  ///
  /// - Parameter name: of the output, for errors.
  package func stream(to output: OpenFile, name: String) throws -> BackupManifest.Summary {
    try whileLocked {
      let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
      let work = try FileSystem.makeTemporaryFolder(prefix: "\(folder)/selfie-server-")
      return try withFolder(work) { try write(to: output, name, work: $0, isBeside: false) }
    }
  }

  /// Runs `body` with a new folder.
  private func withFolder<Result>(_ path: String, _ body: (String) throws -> Result) throws -> Result {
    try FileSystem.removeTree(path)
    _ = try FileSystem.makeFolder(path)
    defer { try? FileSystem.removeTree(path) }
    return try body(path)
  }

  private func verify(_ path: String, _ summary: BackupManifest.Summary, in folder: String) throws {
    let archive = try BackupArchive(path: path)
    let found = try archive.verify(in: folder) {
      try report(Progress("Verifying", bytes: $0, of: archive.byteCount), false)
    }
    guard found == summary else {
      throw OperationError("\(path) does not contain what was written to it. Check its disk.")
    }
  }

  /// Makes only one backup at a time. Locks the folder itself: a lock file would belong to the user who made the first
  /// backup.
  private func whileLocked(_ body: () throws -> BackupManifest.Summary) throws -> BackupManifest.Summary {
    guard try FileSystem.exists(layout.database) else {
      throw OperationError.noStorage(in: layout.folder)
    }
    let file = try OpenFile(layout.folder, O_RDONLY | O_DIRECTORY)
    guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw OperationError("Another backup of \(layout.folder) is in progress. Wait for it to finish.")
    }
    // At once: a process that another thread starts has a copy of the descriptor until it runs its program, so that the
    // lock would outlast a close.
    defer { flock(file.descriptor, LOCK_UN) }
    let summary = try body()
    // A storage that can only be read is backed up, too.
    if isByHand, summary.isComplete { try? FileSystem.replace(layout.lastBackup, with: []) }
    return summary
  }

  /// - Parameters:
  ///   - path: the name of the output, for errors.
  ///   - work: an empty folder.
  ///   - isBeside: whether the output is on the same disk as that.
  private func write(
    to output: OpenFile, _ path: String, work: String, isBeside: Bool
  ) throws -> BackupManifest.Summary {
    let copyPath = StorageLayout(folder: work).database
    let source = try Connection(path: layout.database, mode: .readOnly)
    defer { source.close() }
    let photos = try source.first(PhotoStore.totals, as: Totals.self)
    let databaseBytes = try source.byteCount()
    // The sizes in the rows could be wrong, so they are limited to more than any disk has.
    let needed =
      databaseBytes + min(photos?.byteCount ?? 0, 1 << 60) + (photos?.rowCount ?? 0) * Self.bytesBesidePhoto
    let what = isBeside ? "the backup" : "the copy of the database (TMPDIR)"
    try OperationError.checkRoom(databaseBytes + (isBeside ? needed : 0), at: work, for: what)
    do {
      try source.copy(to: copyPath) { try report(Progress("Copying the database", bytes: $0, of: $1), true) }
      let copy = try Connection(path: copyPath, mode: .exclusive)
      defer { copy.close() }
      let head = BackupManifest.Head(
        server: Application.version, madeAt: Timestamp.text(unixMilliseconds: now),
        schema: try Migrations.last(on: copy) ?? "", storage: copy.storageIdentity)
      var archive = try BackupWriter(
        to: output, path: path, manifestPath: "\(work)/manifest", head: head, modifiedAt: now / 1000)
      try fill(&archive, copy, source, copyPath)
      return archive.summary
    } catch let error as FileError where error.isDiskFull {
      throw OperationError.noRoom(needed, at: error.path, for: "the backup")
    } catch let error as SQLiteError where error.isDiskFull {
      throw OperationError.noRoom(databaseBytes, at: work, for: what)
    }
  }

  /// A header, half a block of padding, and the line of the manifest twice: in its own file and in the archive.
  private static let bytesBesidePhoto: Int64 = 512 + 256 + 2 * 160

  private func fill(
    _ archive: inout BackupWriter, _ copy: Connection, _ source: Connection, _ copyPath: String
  ) throws {
    try addPhotos(to: &archive, copy, source)
    var credentials: OpenFile?
    do {
      credentials = try FileSystem.open(layout.credentials).map { try wholeFile($0, layout.credentials) }
    } catch let error as FileError {
      lost("\(StorageLayout.credentials) (\(error.reason))")
    }
    if let credentials { try archive.append(.credentials, credentials, path: layout.credentials) }
    archive.summary.users = try copy.number(UserStore.count)
    copy.close()
    guard let file = try FileSystem.open(copyPath) else { throw OperationError.changed(copyPath) }
    try archive.append(.database, file, path: copyPath)
    try archive.finish()
  }

  /// Reads a file before its first byte is in the archive: half of it could not be taken back from a pipe.
  private func wholeFile(
    _ file: OpenFile?, _ path: String, _ progress: () throws -> Void = {}
  ) throws -> OpenFile {
    guard let file else { throw FileError("open", path, number: ENOENT) }
    try FileSystem.forEachChunk(of: file, path: path) { _ in try progress() }
    return file
  }

  private func addPhotos(to archive: inout BackupWriter, _ copy: Connection, _ source: Connection) throws {
    let files = PhotoFiles(storage: layout.folder)
    let total = Int(try copy.first(PhotoStore.totals, as: Totals.self)?.rowCount ?? 0)
    var seen = 0
    var last: Int64 = 0
    while case let page = try copy.all(PhotoStore.page(after: last), as: Photo.self), let newest = page.last {
      var gone: [String] = []
      for photo in page {
        seen += 1
        guard Photo.isID(photo.randomID.utf8) else {
          throw OperationError(
            "Row \(photo.id) of the photos has an impossible id. Run selfie-server doctor.")
        }
        let (path, done) = (files.path(of: photo.randomID), archive.summary.photoBytes)
        let show = { try report(Progress("Backing up", seen, of: total, "photo", bytes: done + $0), false) }
        let file: OpenFile
        do {
          file = try wholeFile(files.open(photo.randomID)?.file, path) { try show(0) }
        } catch let error as FileError {
          gone.append(photo.randomID)
          // A deletion removes the row first. So a photo that still has a row has lost its file.
          if try source.exists(PhotoStore.photo(randomID: photo.randomID)) {
            archive.summary.missing += 1
            lost("\(photo.loggedID) (\(error.reason))")
          } else {
            archive.summary.deletedMeanwhile += 1
          }
          continue
        }
        let damaged = archive.summary.damaged
        try archive.append(.photo(id: photo.randomID), file, path: path, of: photo, progress: show)
        if archive.summary.damaged > damaged { lost("\(photo.loggedID) (not the bytes that were uploaded)") }
      }
      try copy.transaction { try copy.removePhotos(gone) }
      last = newest.id
    }
  }
}

extension OperationError {
  static func checkRoom(_ needed: Int64, at folder: String, for what: String) throws {
    let free = try FileSystem.freeBytes(at: folder)
    guard needed <= free else { throw noRoom(needed, at: folder, for: what, free: free) }
  }

  /// - Parameter free: nil if the disk had too little room only later.
  static func noRoom(_ needed: Int64, at place: String, for what: String, free: Int64? = nil) -> OperationError {
    OperationError(
      "There is no room for \(what) at \(place): it needs \(needed) bytes"
        + (free.map { ", and \($0) are free." } ?? ". Make room, and try again."))
  }
}
