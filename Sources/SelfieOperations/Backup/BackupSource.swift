import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

/// A backup that is read: a moment with its pool, or a tar archive. Nothing in it is trusted without a check.
package enum BackupSource {
  case moment(Moment)
  case archive(TarReader)

  /// The backups that a path names, the newest first: a moment, an archive, or the moments of a folder.
  ///
  /// - Parameter skipsDamaged: whether to make do with what is intact.
  package static func all(at path: String, skipsDamaged: Bool) throws -> [BackupSource] {
    guard FileSystem.isFolder(path) else { return [.archive(try TarReader(path: path, skipsDamaged: skipsDamaged))] }
    // Its name says when and of which line it was made, so it must be a path with one.
    let path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    let real = FileSystem.realPath(path) ?? path
    if let moment = Moment(real), try FileSystem.exists(moment.layout.database) { return [.moment(moment)] }
    let folders = try BackupFolder.all(in: path)
    guard folders.count < 2 else {
      throw OperationError(
        "\(path) has backups of \(folders.count) storages. Name one: \(folders.map(\.path).joined(separator: ", "))")
    }
    let moments = try folders.flatMap { try $0.moments() }
    guard !moments.isEmpty else {
      let isStorage = try FileSystem.exists(StorageLayout(folder: path).database)
      throw OperationError(
        isStorage
          ? "\(path) is a storage, not a backup. To make a backup of it, run selfie-server backup FILE.tar"
          : "There are no backups in \(path).")
    }
    return moments.map { .moment($0) }
  }

  /// The backup that a path names; of a folder, the newest one that lacks nothing, and whose database is as it was.
  package static func newest(at path: String, skipsDamaged: Bool) throws -> BackupSource {
    let all = try all(at: path, skipsDamaged: skipsDamaged)
    if skipsDamaged || all.first?.path == (FileSystem.realPath(path) ?? path) || !FileSystem.isFolder(path),
      let first = all.first
    {
      return first
    }
    guard let complete = all.first(where: \.seemsWhole) else {
      let newest = all.first.map { "selfie-server restore --skip-damaged \($0.path)" } ?? ""
      throw OperationError("No backup in \(path) is complete. To restore what the newest one has, run \(newest)")
    }
    return complete
  }

  private var seemsWhole: Bool {
    guard case .moment(let moment) = self else { return true }
    return (try? moment.description())?.isComplete == true && (try? moment.openChecked()) != nil
  }

  package var path: String {
    switch self {
    case .moment(let moment): moment.path
    case .archive(let archive): archive.path
    }
  }

  /// Nil in an archive of an earlier version.
  package func description() throws -> BackupDescription? {
    switch self {
    case .moment(let moment): try moment.description()
    case .archive(let archive): try archive.description.map { try BackupDescription($0) }
    }
  }

  /// When it was made, such as `2026-11-20T22:24:16.000Z`.
  package var madeAt: String {
    switch self {
    case .moment(let moment): Timestamp.text(unixMilliseconds: moment.time)
    case .archive(let archive): Timestamp.text(unixMilliseconds: archive.modifiedAt * 1000)
    }
  }

  /// Nil if there is none.
  func credentials() throws -> FilePart? {
    switch self {
    case .moment(let moment): try FilePart(at: moment.layout.credentials)
    case .archive(let archive): archive.credentials
    }
  }

  /// Calls `body` with each photo of the database that the backup has.
  ///
  /// - Parameter database: a copy of the backup's.
  func forEachPhoto(of database: Connection, _ body: (Photo, FilePart) throws -> Void) throws {
    switch self {
    case .moment(let moment):
      let pool = PhotoPool(of: moment.folder)
      try database.forEachPhoto { photo in
        if Photo.isID(photo.randomID.utf8), let part = pool.part(of: photo.randomID) { try body(photo, part) }
      }
    case .archive(let archive):
      try archive.forEachPhoto { id, part in
        if let photo = try database.first(PhotoStore.photo(randomID: id), as: Photo.self) { try body(photo, part) }
      }
    }
  }

  func damage(_ what: String) -> OperationError {
    OperationError(
      "\(path) is damaged: \(what). Use another backup, or restore what is intact with restore --skip-damaged.")
  }

  /// Copies the database to a new file, and checks it.
  ///
  /// - Parameter skipsDamaged: whether the database need only be sound.
  func copyDatabase(to target: String, skipsDamaged: Bool) throws {
    let part: FilePart? =
      switch self {
      case .moment(let moment): try FilePart(at: moment.layout.database)
      case .archive(let archive): archive.database
      }
    guard let part else { throw damage("it has no database") }
    let sha256 = Digest.hex(try part.copy(to: target))
    let description: BackupDescription?
    do { description = try self.description() } catch  where skipsDamaged { description = nil }
    guard skipsDamaged || description == nil || description?.sha256 == sha256 else {
      throw damage("its database differs from what was backed up")
    }
    let connection = try Connection(path: target, mode: .immutable)
    defer { connection.close() }
    do {
      if let problem = try connection.integrityProblems().first { throw OperationError("\(problem)") }
      _ = try connection.number(UserStore.count)
    } catch let error as OperationError {
      throw OperationError("\(path): its database is damaged: \(error). Use another backup.")
    } catch let error as SQLiteError {
      throw OperationError("\(path): its database is damaged: \(error). Use another backup.")
    }
  }
}

extension BackupSource {
  /// A trigger that others have made would run along with the server's own changes.
  ///
  /// - Parameter database: a copy of the backup's.
  func requireOwnSchema(_ database: String) throws {
    let connection = try Connection(path: database, mode: .immutable)
    defer { connection.close() }
    let differences = try Migrations.sqlite.schemaDifferences(on: connection)
    guard !differences.isEmpty else { return }
    throw OperationError(
      """
      \(path) has a database that others than this server have changed: \(differences.prefix(5).joined(separator: "; ")). \
      Use another backup.
      """)
  }
}

extension Connection {
  /// Calls `body` with each photo, in the order of the rows.
  func forEachPhoto(_ body: (Photo) throws -> Void) throws {
    try forEachPage({ PhotoStore.page(after: $0) }, id: \.id) { (page: [Photo]) in try page.forEach(body) }
  }
}

/// What was found in a backup that was read whole.
package struct CheckedBackup: Sendable {
  package var users: Int64 = 0
  package var photos: Int64 = 0
  package var photoBytes: Int64 = 0
  package var hasCredentials = false
  /// Photos that are missing or damaged: all are counted, and these many are named.
  package var lost: Int64 = 0
  /// Rows that belong to a row that is not there.
  package var orphans: [String] = []
}

/// Reads a whole backup: to verify it, or to restore it.
package struct BackupCheck {
  let source: BackupSource
  let skipsDamaged: Bool
  /// Receives how far it has come, and may throw an error to end it.
  let report: (Progress) throws -> Void
  /// Receives each photo that is missing or damaged.
  let lose: (PhotoProblem) -> Void

  package init(
    _ source: BackupSource, skipsDamaged: Bool, report: @escaping (Progress) throws -> Void = { _ in },
    lose: @escaping (PhotoProblem) -> Void = { _ in }
  ) {
    (self.source, self.skipsDamaged, self.report, self.lose) = (source, skipsDamaged, report, lose)
  }

  /// Reads and checks everything.
  ///
  /// - Parameters:
  ///   - folder: an empty folder for the database and, if it is to be restored, for everything else.
  ///   - restores: whether the photos are extracted. Then the rows of those that are lost are removed from the database.
  package func run(in folder: String, restores: Bool = false) throws -> CheckedBackup {
    let target = StorageLayout(folder: folder)
    try source.copyDatabase(to: target.database, skipsDamaged: skipsDamaged)
    if restores { try source.requireOwnSchema(target.database) }
    let database = try Connection(path: target.database, mode: restores ? .exclusive : .immutable)
    defer { database.close() }
    var found = CheckedBackup(users: try database.number(UserStore.count), orphans: try database.foreignKeyProblems())
    let totals = try database.first(PhotoStore.totals, as: Totals.self)
    if restores {
      try OperationError.checkRoom(min(totals?.byteCount ?? 0, 1 << 60), at: folder, for: "what is restored")
    }
    let total = Int(totals?.rowCount ?? 0)
    var (whole, reasons): (Set<Int64>, [String: String]) = ([], [:])
    try source.forEachPhoto(of: database) { photo, part in
      guard !whole.contains(photo.id) else { return }
      let done = Progress("Reading", whole.count, of: total, "photo", bytes: found.photoBytes)
      if let reason = try reason(against: photo, part, restores ? target : nil, { try report(done) }) {
        if reasons.count < BackupDescription.maxProblems { reasons[photo.randomID] = reason }
      } else {
        whole.insert(photo.id)
        found.photos += 1
        found.photoBytes += part.byteCount
      }
    }
    var lost: [String] = []
    try database.forEachPhoto { photo in
      guard !whole.contains(photo.id) else { return }
      found.lost += 1
      lose(PhotoProblem(id: photo.randomID.printable, reason: reasons[photo.randomID] ?? "it is not in the backup"))
      if restores { lost.append(photo.randomID) }
    }
    if restores, !lost.isEmpty, skipsDamaged { try database.transaction { try database.removePhotos(lost) } }
    found.hasCredentials = try source.credentials() != nil
    return found
  }

  /// Reads a photo, and puts it into the target if there is one.
  ///
  /// - Returns: why it is damaged; nil if it is whole.
  private func reason(
    against photo: Photo, _ part: FilePart, _ target: StorageLayout?, _ show: () throws -> Void
  ) throws -> String? {
    try show()
    guard part.byteCount == photo.byteCount else {
      return "\(counted(part.byteCount, "byte")), but \(photo.byteCount) were uploaded"
    }
    let path = target?.photo(photo.randomID)
    if let target {
      for path in [target.photos, target.photoFolder(of: photo.randomID)] { _ = try FileSystem.makeFolder(path) }
    }
    do {
      let sha256 = try path.map { try part.copy(to: $0, each: show) } ?? part.forEachChunk { _ in try show() }
      if photo.sha256 == nil || photo.sha256 == sha256 { return nil }
    } catch let error as FileError where error.path == part.path {
      return error.reason
    }
    if let path { try FileSystem.remove(path) }
    return "its bytes differ from those that were uploaded"
  }
}
