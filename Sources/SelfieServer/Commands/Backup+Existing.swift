import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SelfieAPI
import SelfieOperations

/// What `selfie-server backup` does with existing backups: it lists, verifies and deletes them.
extension Backup {
  /// The folder of the storage's backups in BACKUP_DIR, or those that the owner has named.
  private func folders(_ settings: Settings) throws -> [BackupFolder] {
    if let file {
      let folders = try BackupFolder.all(in: file)
      guard !folders.isEmpty else { throw OperationError("There are no backups in \(file).") }
      return folders
    }
    guard let place = settings.backupDir else {
      throw ConfigurationError("BACKUP_DIR is not set here. Name the folder of the backups.")
    }
    let folder = BackupFolder(in: place, of: try StorageBackup(storage: settings.storageDir, now: 0).identity())
    guard folder.exists else { throw OperationError("There are no backups of this storage in \(place).") }
    return [folder]
  }

  func showList(_ settings: Settings) throws {
    let moments = try folders(settings).flatMap { try $0.moments() }.map(ListedMoment.init)
    if json { return Terminal.writeJSON(try JSONWriter.encode(moments, writesNull: true)) }
    guard !moments.isEmpty else { return Terminal.writeLines("There are no backups.", to: STDOUT_FILENO) }
    Terminal.write(
      table: [
        .whole("Name"), .number("Users"), .number("Photos"), .number("New"), .text("State"),
      ],
      moments.map { moment in
        let state = moment.complete.map { $0 ? "complete" : "incomplete" } ?? "damaged"
        return [
          moment.name, moment.users.map { "\($0)" } ?? "-", moment.photos.map { "\($0)" } ?? "-",
          moment.newBytes.map(HumanValue.bytes) ?? "-", moment.verified ? state : "damaged",
        ]
      })
  }

  func verify(_ settings: Settings, _ signals: TerminationSignals) throws {
    let start = ContinuousClock.now
    let problems = Monitor(0)
    let text = try ProgressLine.during { line in
      let report = { (progress: Progress) in
        try signals.check()
        line.show(progress)
      }
      let lose = { (problem: String) in
        problems.withLock { $0 += 1 }
        line.clear()
        Terminal.writeLines(problem, to: STDERR_FILENO)
      }
      if let file, !FileSystem.isFolder(file) || Moment(FileSystem.realPath(file) ?? file) != nil {
        return try verified(BackupSource.newest(at: file, skipsDamaged: false), report, lose)
      }
      let folders = try folders(settings)
      guard try folders.contains(where: { try !$0.moments().isEmpty }) else {
        throw OperationError("There are no backups in \(folders.map(\.path).joined(separator: ", ")).")
      }
      return try folders.map { folder in
        let found = try folder.verify(report: report, lose: lose)
        let counts = "\(counted(found.moments, "backup")), \(counted(found.photos, "photo"))"
        return "\(folder.path) has \(counts), \(HumanValue.bytes(found.bytes))"
      }.joined(separator: "\n")
    }
    let count = problems.withLock { $0 }
    let verdict = count == 0 ? "All of it is intact" : "\(counted(count, "problem")), listed above"
    Terminal.writeLines("\(text), \(Self.time(since: start)). \(verdict).", to: STDOUT_FILENO)
    if count > 0 { throw ExitCode(1) }
  }

  private func verified(
    _ source: BackupSource, _ report: @escaping (Progress) throws -> Void, _ lose: @escaping (String) -> Void
  ) throws -> String {
    let temporary = SettingSources.environment("TMPDIR") ?? "/tmp"
    let folder = try FileSystem.makeTemporaryFolder(prefix: "\(temporary)/selfie-server-")
    defer { try? FileSystem.removeTree(folder) }
    let found = try BackupCheck(source, skipsDamaged: false, report: report, lose: { lose("\($0)") }).run(in: folder)
    for orphan in found.orphans { Terminal.writeLines("\(orphan).", to: STDERR_FILENO) }
    return "\(source.path) has \(Self.contents(found.users, found.photos, found.photoBytes)), of \(source.madeAt)"
  }

  func deleteMoment(_ name: String, _ settings: Settings, _ signals: TerminationSignals) throws {
    let folders = try folders(settings)
    guard
      let (folder, moment) = try folders.lazy.compactMap({ folder in
        try folder.moments().first { $0.name == name }.map { (folder, $0) }
      }).first
    else { throw OperationError("There is no backup \(name). selfie-server backup --list shows all.") }
    let lost: String
    do {
      let ids = try folder.photosOnly(in: moment)
      let named = ids.isEmpty ? "" : ": \(ids.prefix(10).joined(separator: ", "))\(ids.count > 10 ? " and more" : "")"
      lost =
        ids.isEmpty
        ? "No photo goes with it." : "\(counted(ids.count, "photo")) that no other backup has will go with it\(named)."
    } catch { lost = "Its photos stay: \(error)" }
    try confirm("Delete the backup \(name)? \(lost)", isAgreed: yes)
    let patience = BackupWait(signals)
    let reason = try folder.delete(moment, wait: { try patience.wait(for: $0.folder) })
    Terminal.writeLines(
      "The backup \(name) is deleted. \(reason.map { "Its photos stay: \($0)" } ?? lost)", to: STDOUT_FILENO)
  }
}
