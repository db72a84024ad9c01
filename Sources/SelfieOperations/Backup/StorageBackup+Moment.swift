import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

/// A backup as a moment of a folder. `ScheduledBackups` decides when, and which are removed.
extension StorageBackup {
  /// Makes a backup; the caller has the folder's lock. Returns once it is on the disk under its name. After an error there are
  /// at most more photos in the pool, each whole.
  ///
  /// - Parameters:
  ///   - reserved: bytes of the disk that must stay free.
  ///   - record: receives the name of the moment before it is made.
  package func makeMoment(
    in folder: BackupFolder, reserved: Int64 = 0, record: (_ name: String) throws -> Void = { _ in }
  ) throws -> (moment: Moment, description: BackupDescription) {
    for path in try folder.unfinished() { try FileSystem.removeTree(path) }
    let identity = try Connection(path: layout.database, mode: .readOnly)
    defer { identity.close() }
    try OperationError.checkRoom(identity.byteCount(), at: folder.path, for: "the backup", besides: reserved)
    let line = try BackupDescription(of: identity, now: now).line
    var time = now
    while try FileSystem.exists("\(folder.path)/\(Moment.name(at: time, line: line))") { time += 1000 }
    let name = Moment.name(at: time, line: line)
    try record(name)
    let unfinished = "\(folder.path)/.\(name)"
    do {
      _ = try FileSystem.makeFolder(unfinished)
      let description = try fill(StorageLayout(folder: unfinished), folder, reserved)
      try FileSystem.syncFolder(unfinished)
      try FileSystem.renameWithoutReplacing(unfinished, to: "\(folder.path)/\(name)")
      try FileSystem.syncFolder(folder.path)
      guard let moment = Moment("\(folder.path)/\(name)") else { throw OperationError("\(name) is no backup.") }
      return (moment, description)
    } catch {
      try? FileSystem.removeTree(unfinished)
      guard let error = error as? FileError, error.isDiskFull else { throw error }
      throw OperationError.noRoom(nil, at: error.path, for: "the backup")
    }
  }

  private func fill(_ moment: StorageLayout, _ folder: BackupFolder, _ reserved: Int64) throws -> BackupDescription {
    var description = try withCopy(at: moment.database) { copy, source in
      var keeper = PoolKeeper(
        self, folder, copy, source, description: try BackupDescription(of: copy, now: now))
      let needed = try keeper.neededBytes() + Self.slack
      try OperationError.checkRoom(needed, at: folder.path, for: "the backup", besides: reserved)
      try forEachPhoto(of: copy, source) { try keeper.keep(&$0) }
      try keeper.readAgain()
      try keeper.pool.sync()
      for problem in keeper.description.problems { warn("\(problem)") }
      return keeper.description
    }
    if let credentials = credentials() {
      _ = try credentials.copy(to: moment.credentials)
      description.hasCredentials = true
    }
    guard let database = try FilePart(at: moment.database) else { throw OperationError("\(moment.database) is gone.") }
    try FileSystem.sync(database.file, path: database.path)
    description.sha256 = Digest.hex(try database.forEachChunk())
    description.databaseBytes = database.byteCount
    description.newBytes += database.byteCount
    try FileSystem.write(JSONWriter.encode(description), toNew: moment.path(Moment.descriptionName))
    return description
  }

  /// For names and small files.
  private static let slack: Int64 = 1 << 20
}

/// Sees to it that the pool has each photo of a backup.
private struct PoolKeeper {
  private let backup: StorageBackup
  private let copy: Connection
  private let source: Connection
  private let known: KnownDigests
  var pool: PhotoPool
  var description: BackupDescription

  init(
    _ backup: StorageBackup, _ folder: BackupFolder, _ copy: Connection, _ source: Connection,
    description: BackupDescription
  ) {
    (self.backup, self.copy, self.source, self.description) = (backup, copy, source, description)
    pool = PhotoPool(of: folder)
    known = KnownDigests((try? folder.moments()) ?? [])
  }

  /// The bytes of the photos that the pool lacks, in whole blocks.
  func neededBytes() throws -> Int64 {
    var (needed, last) = (Int64(0), Int64.min)
    while case let page = try copy.all(PhotoStore.page(after: last), as: Photo.self), let newest = page.last,
      newest.id > last
    {
      for photo in page where try Photo.isID(photo.randomID.utf8) && pool.status(of: photo.randomID) == nil {
        // The sizes in the rows could be wrong, so they are limited to more than any disk has.
        needed = min(needed + min(max(0, photo.byteCount), 1 << 50) / 4096 * 4096 + 8192, 1 << 60)
      }
      last = newest.id
    }
    return needed
  }

  private func pause() throws { try backup.report(Progress("Backing up", bytes: description.photoBytes), false) }

  /// Puts a photo into the pool unless it is there. False if it was deleted meanwhile.
  mutating func keep(_ photo: inout Photo) throws -> Bool {
    let id = photo.randomID
    let (loss, isDeleted) = try backup.loss(of: photo, source)
    if isDeleted { return false }
    description.photos += 1
    description.photoBytes &+= photo.byteCount
    guard Photo.isID(id.utf8) else {
      description.note(PhotoProblem(id: id.printable, reason: loss ?? ""))
      return true
    }
    let (status, expected) = (try pool.status(of: id), known.digest(of: id))
    var isInPool = status?.kind == .file && status?.byteCount == photo.byteCount
    if status != nil, !isInPool || expected != nil && photo.sha256 != nil && expected != photo.sha256 {
      let found = try pool.digest(of: id, each: pause)
      isInPool = found != nil && found == photo.sha256
      if let found, found == expected, !isInPool {
        description.note(PhotoProblem(id: id, reason: Self.otherBytes(Digest.hex(found), photo)))
        return true
      }
    }
    if isInPool {
      if let loss { description.note(problem(id, loss)) }
    } else if let reason = try add(photo, isDamagedInPool: status != nil) ?? loss {
      let ofPool = status == nil ? ", and no backup has it" : "; in the backups it is damaged, too"
      description.note(PhotoProblem(id: id, reason: "in the storage: \(reason)\(ofPool)"))
    }
    return true
  }

  /// Copies a photo from the storage.
  ///
  /// - Returns: why that is impossible; nil if it was done.
  private mutating func add(_ photo: Photo, isDamagedInPool: Bool) throws -> String? {
    let path = backup.files.path(of: photo.randomID)
    do {
      guard let part = try FilePart(at: path), part.byteCount == photo.byteCount else {
        return "its file is missing or has another size than was uploaded"
      }
      let sha256 = try photo.sha256 ?? part.forEachChunk { _ in try pause() }
      guard
        try pool.add(part, as: photo.randomID, sha256: sha256, replaces: isDamagedInPool, each: pause)
      else { return "its bytes differ from those that were uploaded" }
      description.newBytes += part.byteCount
      return nil
    } catch let error as FileError where error.path == path {
      return error.reason
    }
  }

  /// A photo that the storage has lost, and the backups have whole.
  private func problem(_ id: String, _ reason: String) -> PhotoProblem {
    PhotoProblem(
      id: id,
      reason: """
        the storage's copy is missing or damaged (\(reason)); the backups have it whole. Stop the server, and run \
        selfie-server restore --photo \(id) \(pool.folder.path)
        """, isInBackup: true)
  }

  private static func otherBytes(_ sha256: String, _ photo: Photo) -> String {
    """
    the storage has other bytes under this id (SHA-256 \(Digest.hex(photo.sha256 ?? []).prefix(16))…) than earlier backups \
    (\(sha256.prefix(16))…), as after a second import. The backups keep theirs; this backup lacks the storage's.
    """
  }

  // MARK: - By turns

  /// What is to be read next: a file of the folder.
  private struct Turn: Codable {
    static let name = "verification.json"

    /// The folder of photos that was longest unread.
    var next = ""
    /// Photos that were found damaged and could not be replaced.
    var damaged: [String] = []
  }

  /// Reads a thirtieth of the pool again, and at least this many bytes of it. What was read is compared in the storage, too.
  private static let turns = 30
  private static let minBytes: Int64 = 64 << 20

  mutating func readAgain() throws {
    let path = "\(pool.folder.path)/\(Turn.name)"
    let text = try? FileSystem.contents(of: path, maxBytes: 1 << 20)
    var turn: Turn = text.flatMap { try? JSONReader.decode(from: $0) } ?? Turn()
    let folders = try pool.folders()
    let next = folders.firstIndex { $0 >= turn.next } ?? folders.startIndex
    let ordered = folders[next...] + folders[..<next]
    let due = Set(turn.damaged)
    turn.damaged = []
    for id in due.sorted() where try !check(id) { turn.damaged.append(id) }
    var (bytes, count) = (Int64(0), 0)
    for folder in ordered {
      guard bytes < Self.minBytes || count < (folders.count + Self.turns - 1) / Self.turns else {
        turn.next = folder
        break
      }
      for id in try pool.ids(in: folder) where !due.contains(id) {
        bytes += try pool.status(of: id)?.byteCount ?? 0
        if try !check(id), turn.damaged.count < BackupDescription.maxProblems { turn.damaged.append(id) }
      }
      count += 1
    }
    let unfinished = "\(pool.folder.path)/.\(Turn.name)"
    try FileSystem.remove(unfinished)
    try FileSystem.write(JSONWriter.encode(turn), toNew: unfinished)
    try FileSystem.rename(unfinished, to: path)
  }

  /// Reads a photo in the pool and in the storage. A damaged one in the pool is replaced by the storage's if that is whole.
  /// False if both are damaged.
  private mutating func check(_ id: String) throws -> Bool {
    let photo = try copy.first(PhotoStore.photo(randomID: id), as: Photo.self)
    guard let sha256 = photo?.sha256 ?? known.digest(of: id) else { return true }
    let found = try pool.digest(of: id, each: pause)
    let isNoted = description.problems.contains { $0.id == id }
    if found == sha256 {
      guard let photo, !isNoted, let part = try? FilePart(at: backup.files.path(of: id)) else { return true }
      var reason: String?
      do {
        if try part.forEachChunk({ _ in try pause() }) != photo.sha256 {
          reason = "its bytes differ from those that were uploaded"
        }
      } catch let error as FileError { reason = error.reason }
      if let reason { description.note(problem(id, reason)) }
      return true
    }
    guard !isNoted else { return true }
    let reason = try photo.map { try add($0, isDamagedInPool: true) } ?? "the storage does not have it any more"
    guard let reason else { return true }
    // A photo that is in older backups only is not one that this backup lacks.
    description.note(
      PhotoProblem(
        id: id, reason: "in the backups its bytes are damaged; in the storage: \(reason)", isInBackup: photo == nil))
    return false
  }
}
