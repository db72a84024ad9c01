import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI

/// Checks the storage: database, photos, permissions and free space. Unless it is told to repair, it changes nothing
/// and may run while a server does, whose work meanwhile it does not report as a problem. `RowCheck` checks the values
/// of rows, and `ClusterCheck` a cluster.
///
/// Its memory does not grow with the photos: rows come a page at a time, files a few folders at a time, and an issue is
/// reported as soon as it is made.
package struct StorageCheck: Sendable {
  /// Whether every photo is read, and its digest compared.
  package var readsPhotos = true
  /// Whether what can be repaired is. No other process may use the storage meanwhile.
  package var repairs = false
  /// With `repairs`: whether the rows of photos whose file is missing are deleted. `RemovedRows` keeps them.
  package var dropsMissing = false
  /// Asks the owner before a repair takes away much of a storage, and throws unless the owner agrees.
  package var confirm: @Sendable (_ question: String) throws -> Void = { throw OperationError($0) }
  /// How many seconds a server gets to remove the file of a photo that is deleted meanwhile.
  var recheckDelay: UInt32 = 3

  /// Photos of this size must fit.
  package var maxPhotoBytes = APISettings.defaults.maxPhotoBytes

  /// Whether an owner should act: a gibibyte is not free, nor a fifth of a small disk, or the next photos may not fit
  /// beside what the database needs.
  static func isLow(_ free: Int64, of disk: Int64, maxPhotoBytes: Int) -> Bool {
    free < max(min(1 << 30, disk / 5), Int64(2 * maxPhotoBytes) + 8 << 20)
  }

  /// None for a storage that is on a disk of this machine, and outlives a container.
  package static func fileSystemWarnings(_ storage: String) -> [String] {
    let remote = FileSystem.remoteKind(of: storage).map { kind in
      """
      STORAGE_DIR is on a \(kind) file system (a folder of a Mac, sshfs, a network drive). SQLite can lose data there, and \
      the lock does not keep out a server on another machine. Use a local disk or a named volume.
      """
    }
    return [remote, FileSystem.layerWarning("STORAGE_DIR", storage)].compactMap(\.self)
  }

  let files: PhotoFiles
  let permissions: StoragePermissions
  let now: Int64
  let isServed: @Sendable () -> Bool
  let findings: Findings

  /// - Parameters:
  ///   - storage: the folder with the database and the photos.
  ///   - now: in Unix milliseconds.
  ///   - isServed: whether a server runs on this storage at this moment.
  package init(
    storage: String, now: Int64, isServed: @escaping @Sendable () -> Bool,
    report: @escaping @Sendable (CheckEvent) -> Void
  ) {
    self.now = now
    self.isServed = isServed
    findings = Findings(report)
    files = PhotoFiles(storage: storage)
    permissions = StoragePermissions(storage: storage)
  }

  /// Checks everything once.
  package func run() async -> CheckCounts {
    do {
      try layout.requireStorage()
    } catch {
      findings.fail(error)
      return findings.counts
    }
    await findings.attempt(checkPermissions)
    await findings.attempt(checkFreeSpace)
    await findings.attempt {
      let connection = try open()
      defer { connection.close() }
      var isSound = false
      await findings.attempt { isSound = try checkDatabase(connection) }
      // Rows that a damaged index does not find seem to be missing, and a repair would remove their photos' files.
      guard isSound || !repairs else {
        throw OperationError("The rest was not checked: a damaged database cannot be repaired.")
      }
      guard try checkSchema(connection) else { return }
      let removedRows = RemovedRows(of: layout, now: now)
      let rows = RowCheck(
        database: connection, name: StorageLayout.database, bytes: files, readsPhotos: readsPhotos, repairs: repairs,
        findings: findings, confirm: confirm
      ) { try removedRows.keep($1, of: $0, connection) }
      await whileReadingAhead {
        let scope = repairs ? await repairScope(connection) : RepairScope()
        await findings.attempt { try checkUploads(connection, repairs: scope.belongsTogether) }
        await findings.attempt { try await rows.checkPhotos(dropsMissing: scope.dropsMissing) }
        await findings.attempt { try await checkFiles(connection, moves: scope.movesStrays) }
      }
      await findings.attempt { try checkRemoved(connection) }
      await findings.attempt { try checkSums(connection, rows) }
      await rows.run()
    }
    return findings.counts
  }

  /// What a repair may do to rows and files that do not belong together.
  private struct RepairScope {
    var belongsTogether = false
    var dropsMissing = false
    var movesStrays = false
  }

  /// Decides before anything is changed. Reports what is refused, so that the rest can be checked nonetheless.
  private func repairScope(_ connection: Connection) async -> RepairScope {
    var scope = RepairScope()
    await findings.attempt {
      let survey = try await survey(connection)
      if let refusal = survey.refusal(in: layout, dropsMissing: dropsMissing) { throw OperationError(refusal) }
      scope.belongsTogether = survey.belongsTogether
      guard scope.belongsTogether else { return }
      await findings.attempt { scope.movesStrays = try isAgreed(survey.questionAboutFiles) }
      guard dropsMissing else { return }
      await findings.attempt { scope.dropsMissing = try isAgreed(survey.questionAboutRows) }
    }
    return scope
  }

  private func isAgreed(_ question: String?) throws -> Bool {
    if let question { try confirm(question) }
    return true
  }

  var layout: StorageLayout { files.layout }
  private var storage: String { layout.folder }

  // MARK: - The database

  private func open() throws -> Connection {
    try Connection(path: layout.database, mode: repairs ? .readWrite : .readOnly)
  }

  /// Whether all of it can be read and is where its indexes say.
  private func checkDatabase(_ connection: Connection) throws -> Bool {
    findings.show(Progress("Checking the database", bytes: try connection.byteCount()))
    let problems = try connection.integrityProblems()
    for problem in problems {
      findings.add(.databaseDamage, StorageLayout.database, "\(problem). \(SQLiteError.damageRemedy)")
    }
    for problem in try connection.foreignKeyProblems() {
      findings.add(.foreignKey, StorageLayout.database, "\(problem). Delete it, or restore a backup.")
    }
    return problems.isEmpty
  }

  /// Whether the database has the schema that the other checks need.
  private func checkSchema(_ connection: Connection) throws -> Bool {
    let pending: [String]
    let differences: [String]
    do {
      pending = try Migrations.sqlite.pending(on: connection).map(\.name)
      differences = try Migrations.sqlite.schemaDifferences(on: connection)
    } catch {
      findings.add(.schema, StorageLayout.database, "its photos were not checked: \(error)")
      return false
    }
    for difference in differences {
      findings.add(.schema, StorageLayout.database, "\(difference). Restore a backup, or correct it with sqlite3.")
    }
    // A foreign trigger would run with the repair.
    guard differences.isEmpty || !repairs else {
      throw OperationError("The rest was not checked: a database with another schema cannot be repaired.")
    }
    if pending.isEmpty { return true }
    let names = pending.joined(separator: ", ")
    guard repairs else {
      findings.add(
        .schema, StorageLayout.database,
        "it still needs \(names), so its photos were not checked. The server's next start runs that, as does --repair."
      )
      return false
    }
    let upgrade = try Migrations.sqlite.upgrade(connection, at: layout.database, now: now)
    let copy = upgrade.copy.map { ". A copy from before is in \($0)" } ?? ""
    findings.add(.schema, StorageLayout.database, "it needed \(names), which ran now\(copy)", isRepaired: true)
    return true
  }

  /// Checks the number and size of each user's photos and notes, which triggers note.
  private func checkSums(_ connection: Connection, _ rows: RowCheck) throws {
    let photos = try connection.number(PhotoStore.wrongSums) + connection.number(PhotoStore.sumsWithoutPhotos)
    if repairs && photos > 0 { try connection.transaction { try connection.sumPhotosAnew() } }
    rows.addWrongSums(photos, of: "photos", isRepaired: repairs)
    let notes = try connection.number(NoteStore.wrongSums) + connection.number(NoteStore.sumsWithoutNotes)
    if repairs && notes > 0 { try connection.transaction { try connection.sumNotesAnew() } }
    rows.addWrongSums(notes, of: "notes", isRepaired: repairs)
  }

  // MARK: - Around the photos

  /// Checks that only the owner may read the files.
  private func checkPermissions() throws {
    for entry in try repairs ? permissions.close() : permissions.open() {
      let path = permissions.path(entry.name)
      findings.add(
        .permissions, entry.name == "." ? storage : entry.name, "", isRepaired: entry.isClosed,
        "other users can access it; restricted now",
        orElse: repairs ? StoragePermissions.ignored(path) : permissions.remedy(path) + ", or use --repair.")
    }
  }

  private func checkFreeSpace() throws {
    if FileSystem.lacksInodes(at: storage) { findings.add(.freeSpace, storage, StorageFailure.noInodes) }
    for warning in Self.fileSystemWarnings(storage) { findings.remark(warning) }
    let (free, disk) = (try FileSystem.freeBytes(at: storage), try FileSystem.diskBytes(at: storage))
    guard Self.isLow(free, of: disk, maxPhotoBytes: maxPhotoBytes) else { return }
    findings.add(
      .freeSpace, storage,
      "\(free >> 20) MiB are free, \(free / max(1, disk / 100)) % of the file system. Make room: on a full disk, uploads "
        + "are refused.")
  }
}
