import Cryptography
import Glibc
import HTTPMessages
package import Platform
import SQL
import SQLite
import SelfieAPI

// A backup as one tar archive, to take along: photos, credentials.env, selfie.sqlite3 and backup.json, in this order and
// under the names that they have in a storage. `TarHeader` has the form of a header.

extension StorageBackup {
  /// Writes the archive to a file, a pipe or a socket. The copy of the database is in TMPDIR.
  ///
  /// - Parameters:
  ///   - name: of the output, for errors.
  ///   - place: the folder of the output, whose disk must have room; nil if it is no file.
  package func writeTar(to output: OpenFile, name: String, in place: String? = nil) throws -> BackupDescription {
    let folder = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    let work = StorageLayout(folder: try FileSystem.makeTemporaryFolder(prefix: "\(folder)/selfie-server-"))
    defer { try? FileSystem.removeTree(work.folder) }
    let archive = TarWriter(file: output, path: name, modifiedAt: now / 1000)
    do {
      var description = try withCopy(at: work.database) { copy, source in
        var description = try BackupDescription(of: copy, now: now)
        if let place {
          let totals = try copy.first(PhotoStore.totals, as: Totals.self)
          let headers = min(totals?.rowCount ?? 0, 1 << 40) * 2 * Int64(TarHeader.blockBytes)
          let needed = try min(totals?.byteCount ?? 0, 1 << 60) + headers + copy.byteCount()
          try OperationError.checkRoom(needed, at: place, for: "the backup")
        }
        try forEachPhoto(of: copy, source) { try add($0, to: archive, &description, source) }
        return description
      }
      if let credentials = credentials() {
        try archive.append(StorageLayout.credentials, credentials)
        description.hasCredentials = true
      }
      guard let database = try FilePart(at: work.database) else { throw OperationError("\(work.database) is gone.") }
      description.sha256 = Digest.hex(try database.forEachChunk())
      (description.databaseBytes, description.newBytes) = (database.byteCount, description.photoBytes)
      try archive.append(StorageLayout.database, database)
      let path = work.path(Moment.descriptionName)
      try FileSystem.write(JSONWriter.encode(description), toNew: path)
      if let part = try FilePart(at: path) { try archive.append(Moment.descriptionName, part) }
      try archive.finish()
      return description
    } catch let error as FileError where error.isDiskFull {
      throw OperationError.noRoom(nil, at: error.path, for: "the backup")
    }
  }

  /// False if the photo was deleted meanwhile. It is read before its first byte is in the archive: half of it could not be
  /// taken back from a pipe.
  private func add(
    _ photo: Photo, to archive: TarWriter, _ description: inout BackupDescription, _ source: Connection
  ) throws -> Bool {
    let state = try state(of: photo, source)
    if case .deleted = state { return false }
    var reason = state.loss
    description.photos += 1
    let path = files.path(of: photo.randomID)
    do {
      if reason == nil, let part = try FilePart(at: path) {
        let sha256 = try part.forEachChunk { _ in try report(Progress("Reading", bytes: description.photoBytes), false)
        }
        if sha256 == photo.sha256 {
          try archive.append(StorageLayout.photo(photo.randomID), part)
          description.photoBytes += part.byteCount
          return true
        }
        reason = "its bytes differ from those that were uploaded"
      }
    } catch let error as FileError where error.path == path { reason = error.reason }
    let problem = PhotoProblem(
      id: photo.randomID.printable, reason: "in the storage: \(reason ?? "its file is missing")")
    warn("\(problem)")
    description.note(problem)
    return true
  }
}

/// Writes an archive.
private struct TarWriter {
  let file: OpenFile
  let path: String
  /// The time for all entries, in Unix seconds.
  let modifiedAt: Int64

  func append(_ name: String, _ part: FilePart) throws {
    let header = TarHeader(name: name, byteCount: part.byteCount, modifiedAt: modifiedAt)
    try write(header.bytes)
    try part.forEachChunk { try write($0) }
    try write([UInt8](repeating: 0, count: header.padding))
  }

  func finish() throws { try write(TarHeader.end) }

  private func write(_ bytes: [UInt8]) throws(FileError) { try FileSystem.write(bytes[...], to: file, path: path) }
}

/// Reads an archive that this version or an earlier one has made, and no other. It does not trust the sizes in it.
package struct TarReader {
  private static let block = Int64(TarHeader.blockBytes)

  let path: String
  let database: FilePart
  let credentials: FilePart?
  let description: FilePart?
  /// In Unix seconds.
  let modifiedAt: Int64
  private let file: PlainFile
  private let skipsDamaged: Bool

  /// Finds everything but the photos.
  ///
  /// - Parameter skipsDamaged: whether to go on after a damaged header.
  package init(path: String, skipsDamaged: Bool) throws {
    guard let file = try PlainFile(at: path, followsLink: true) else { throw FileError("open", path, number: ENOENT) }
    (self.path, self.file, self.skipsDamaged) = (path, file, skipsDamaged)
    let head = try FileSystem.read(file.file, at: 0, TarHeader.blockBytes, path: path)
    if TarHeader(head) == nil, !skipsDamaged || compressedForm(of: head, name: path) != nil || isUTF16(head) {
      throw Self.noBackup(head, path)
    }
    var (found, last): ([String: FilePart], FilePart?) = ([:], nil)
    var modifiedAt: Int64 = 0
    try Self.forEachEntry(of: file, skipsDamaged) { header, part in
      if header.name == StorageLayout.database {
        modifiedAt = header.modifiedAt
        // After a damaged header, a photo's own bytes may look like entries. Those of the archive come last.
        let isBefore = found[StorageLayout.credentials].map { $0.offset == last?.offset } ?? false
        if !isBefore { found[StorageLayout.credentials] = nil }
      }
      found[header.name] = StorageLayout.photo(String(header.name.suffix(Photo.idLength))) == header.name ? nil : part
      last = part
    }
    guard let database = found[StorageLayout.database] else {
      throw Self.damage(path, "its end with the database is missing")
    }
    (self.database, self.modifiedAt) = (database, modifiedAt)
    (credentials, description) = (found[StorageLayout.credentials], found[Moment.descriptionName])
  }

  /// Calls `body` with each photo.
  func forEachPhoto(_ body: (_ id: String, _ part: FilePart) throws -> Void) throws {
    try Self.forEachEntry(of: file, skipsDamaged) { header, part in
      let id = String(header.name.suffix(Photo.idLength))
      if Photo.isID(id.utf8), header.name == StorageLayout.photo(id) { try body(id, part) }
    }
  }

  private static func forEachEntry(
    of file: PlainFile, _ skipsDamaged: Bool, _ body: (TarHeader, FilePart) throws -> Void
  ) throws {
    var offset: Int64 = 0
    while offset < file.byteCount {
      let bytes = try FileSystem.read(file.file, at: off_t(offset), TarHeader.blockBytes, path: file.path)
      let start = offset
      offset += block
      guard let header = TarHeader(bytes), header.byteCount <= file.byteCount - offset else {
        if bytes.allSatisfy({ $0 == 0 }), !skipsDamaged { return }
        guard skipsDamaged else { throw damage(file.path, "there is no entry at byte \(start), or it is cut off") }
        continue
      }
      try body(header, FilePart(file.file, path: file.path, offset: offset, byteCount: header.byteCount))
      offset += header.byteCount + Int64(header.padding)
    }
    guard skipsDamaged else { throw damage(file.path, "its end is missing") }
  }

  private static func damage(_ path: String, _ what: String) -> OperationError {
    OperationError(
      "\(path) is damaged: \(what). Use another backup, or restore what is intact with restore --skip-damaged.")
  }

  private static func noBackup(_ head: [UInt8], _ path: String) -> OperationError {
    let textForm = "went through PowerShell's >, which spoils it. Make another one with: selfie-server backup FILE"
    let isDatabase = head.starts(with: "SQLite format 3".utf8)
    let reason =
      compressedForm(of: head, name: path) ?? (isUTF16(head) ? textForm : nil)
      ?? (isDatabase ? "is only a database. Name a backup: its folder, which has backup.json, or a tar archive." : nil)
    return OperationError("\(path) \(reason ?? "is not a backup of selfie-server, or its beginning is damaged.")")
  }
}
