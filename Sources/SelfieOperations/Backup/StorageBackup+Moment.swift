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
  ) throws -> MadeMoment {
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
      guard let moment = Moment("\(folder.path)/\(name)") else { throw OperationError("\(name) is not a backup.") }
      return MadeMoment(moment: moment, description: description)
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
      try forEachPhoto(of: copy, source) { try keeper.keep($0) }
      try keeper.readAgain()
      try keeper.pool.sync()
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

/// A moment that a backup has just made.
package struct MadeMoment: Sendable {
  package let moment: Moment
  package let description: BackupDescription
}

/// Sees to it that the pool has each photo of a backup.
private struct PoolKeeper {
  private let backup: StorageBackup
  private let copy: Connection
  private let source: Connection
  private let known: KnownDigests
  private var turn: VerificationTurn
  var pool: PhotoPool
  var description: BackupDescription

  init(
    _ backup: StorageBackup, _ folder: BackupFolder, _ copy: Connection, _ source: Connection,
    description: BackupDescription
  ) {
    (self.backup, self.copy, self.source, self.description) = (backup, copy, source, description)
    pool = PhotoPool(of: folder)
    known = KnownDigests((try? folder.moments()) ?? [])
    turn = VerificationTurn(of: folder)
    for moment in known.damaged {
      backup.warn(
        """
        The backup \(moment.name) is damaged. No photo is removed from the backups until you delete it: selfie-server backup \
        --delete \(moment.name)
        """)
    }
  }

  /// The bytes of the photos that the pool lacks, in whole blocks.
  func neededBytes() throws -> Int64 {
    var needed: Int64 = 0
    try copy.forEachPhoto { photo in
      guard try Photo.isID(photo.randomID.utf8) && pool.status(of: photo.randomID) == nil else { return }
      // The sizes in the rows could be wrong, so they are limited to more than any disk has.
      needed = min(needed + min(max(0, photo.byteCount), 1 << 50) / 4096 * 4096 + 8192, 1 << 60)
    }
    return needed
  }

  private func pause() throws { try backup.report(Progress("Backing up", bytes: description.photoBytes), false) }

  /// Puts a photo into the pool unless it is there. False if it was deleted meanwhile.
  mutating func keep(_ photo: Photo) throws -> Bool {
    let id = photo.randomID
    let state = try backup.state(of: photo, source)
    if case .deleted = state { return false }
    let loss = state.loss
    description.photos += 1
    description.photoBytes &+= photo.byteCount
    guard Photo.isID(id.utf8) else {
      description.note(PhotoProblem(id: id.printable, reason: loss ?? ""))
      return true
    }
    let (status, expected) = (try pool.status(of: id), known.digest(of: id))
    let sha256 = photo.sha256 ?? expected
    var isInPool = status?.kind == .file && status?.byteCount == photo.byteCount
    if status != nil, !isInPool || turn.doubtful.contains(id) || expected != nil && expected != sha256 {
      let found = try pool.digest(of: id, each: pause)
      isInPool = found != nil && found == sha256
      if !isInPool { turn.doubt(id) }
      if let found, !isInPool, known.need(found, of: id) {
        description.note(PhotoProblem(id: id, reason: Self.otherBytes(Digest.hex(found), photo)))
        return true
      }
    }
    if isInPool {
      if let loss { description.note(problem(id, loss)) }
    } else if let reason = try add(photo, isDamagedInPool: status != nil) ?? loss {
      let ofPool = status == nil ? ", and no backup has it." : "; in the backups it is damaged, too."
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

  /// Reads a thirtieth of the pool again, and at least this many bytes of it. What was read is compared in the storage, too.
  private static let turns = 30
  private static let minBytes: Int64 = 64 << 20

  mutating func readAgain() throws {
    let folders = try pool.folders()
    let next = folders.firstIndex { $0 >= turn.next } ?? folders.startIndex
    let due = turn.doubtful
    for id in due.sorted() where try check(id) { turn.doubtful.remove(id) }
    var (bytes, count) = (Int64(0), 0)
    for folder in folders[next...] + folders[..<next] {
      guard bytes < Self.minBytes || count < (folders.count + Self.turns - 1) / Self.turns else {
        turn.next = folder
        break
      }
      for id in try pool.ids(in: folder) where !due.contains(id) {
        bytes += try pool.status(of: id)?.byteCount ?? 0
        if try !check(id) { turn.doubt(id) }
      }
      count += 1
    }
    try turn.write(to: pool.folder)
  }

  /// Reads a photo in the pool and in the storage. A damaged one in the pool is replaced by the storage's if that is whole.
  ///
  /// - Returns: whether the pool has the bytes that all moments know.
  private mutating func check(_ id: String) throws -> Bool {
    let photo = try copy.first(PhotoStore.photo(randomID: id), as: Photo.self)
    guard let sha256 = photo?.sha256 ?? known.digest(of: id) else { return true }
    let found = try pool.digest(of: id, each: pause)
    let isNoted = description.problems.contains { $0.id == id }
    if found == sha256 {
      if let photo, !isNoted, let reason = try damage(of: photo) { description.note(problem(id, reason)) }
      return !known.disagree(about: id, sha256)
    }
    guard !isNoted else { return false }
    if let found, known.need(found, of: id) {
      if let photo { description.note(PhotoProblem(id: id, reason: Self.otherBytes(Digest.hex(found), photo))) }
      return false
    }
    let reason = try photo.map { try add($0, isDamagedInPool: true) } ?? "the storage does not have it any more"
    guard let reason else { return true }
    // A photo that is in older backups only is not one that this backup lacks.
    description.note(
      PhotoProblem(
        id: id, reason: "in the backups its bytes are damaged; in the storage: \(reason)", isInBackup: photo == nil))
    return false
  }

  /// Reads a photo in the storage.
  ///
  /// - Returns: why it is damaged; nil if it is whole, or gone.
  private func damage(of photo: Photo) throws -> String? {
    do {
      guard let part = try FilePart(at: backup.files.path(of: photo.randomID)) else { return nil }
      let sha256 = try part.forEachChunk { _ in try pause() }
      return sha256 == photo.sha256 ? nil : "its bytes differ from those that were uploaded"
    } catch let error as FileError { return error.reason }
  }
}

/// What is to be read next in a pool: a file of its folder.
private struct VerificationTurn: Codable {
  private static let name = "verification.json"
  /// All others are read in their turn.
  private static let maxDoubtful = 10_000

  /// The folder of photos that was longest unread.
  var next = ""
  /// Photos whose bytes in the pool are not what each moment says, which each backup reads.
  var doubtful: Set<String> = []

  init(of folder: BackupFolder) {
    let text = try? FileSystem.contents(of: "\(folder.path)/\(Self.name)", maxBytes: 1 << 20)
    if let turn: Self = text.flatMap({ try? JSONReader.decode(from: $0) }) { self = turn }
  }

  mutating func doubt(_ id: String) {
    if doubtful.count < Self.maxDoubtful { doubtful.insert(id) }
  }

  func write(to folder: BackupFolder) throws {
    let unfinished = "\(folder.path)/.\(Self.name)"
    try FileSystem.remove(unfinished)
    try FileSystem.write(JSONWriter.encode(self), toNew: unfinished)
    try FileSystem.rename(unfinished, to: "\(folder.path)/\(Self.name)")
  }
}
