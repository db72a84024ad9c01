import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server backup`: backs up the whole storage, and lists, verifies and deletes backups. `ScheduledBackups` and
/// `StorageBackup` in SelfieOperations do the work; BackupCommand+Folder.swift has what is done with existing backups.
struct Backup: Command {
  static let configuration = CommandConfiguration(
    "backup", "Back up the database, the photos and the API's password; list, verify or delete backups.",
    discussion: """
      Without a file, the backup goes into BACKUP_DIR, where each photo is stored once for all backups. With a file, it \
      is one tar archive to take along; with -, the archive goes to standard output, which must not be a terminal. \
      A backup never replaces a file. The server may keep running. To restore a backup, use `selfie-server restore`.

      The exit status is 0 if everything was backed up and is intact. It is 1 if photos are missing or damaged, though \
      all others are backed up, and if nothing could be backed up.
      """,
    examples: "backup", "backup --to /mnt/usb", "backup selfie-2026-11-21.tar", "backup --list", "backup --verify",
    "backup --delete 2026-11-21T03-30-00Z-3fa90c12")

  @Argument(
    help:
      "A new file, such as selfie-2026-11-21.tar, or - for standard output. With --list and --verify: a folder or a backup."
  )
  var file: String?

  @Option(
    help: ArgumentHelp(
      "Back up into this folder, in the form of BACKUP_DIR. Nothing is removed there.", valueName: "folder"))
  var to: String?

  @Flag(help: "List the backups.")
  var list = false

  @Flag(help: "Read all backups, or the given one, and check each byte.")
  var verify = false

  @Option(help: ArgumentHelp("Delete this backup, and the photos that no other one has.", valueName: "name"))
  var delete: String?

  @Flag(help: .yes)
  var yes = false

  @Flag(help: "This storage is a copy of another one: begin a line of backups of its own.")
  var newLine = false

  @Flag(help: "Begin a new folder in BACKUP_DIR, though this storage had backups elsewhere.")
  var newFolder = false

  @Flag(help: "With --list: print JSON.")
  var json = false

  @Flag(help: .hidden)
  var force = false

  @OptionGroup var options: StorageOptions

  func validate() throws {
    guard !force else {
      throw ValidationError(
        "A backup never replaces a file, so --force is gone. Choose a new name, with the date in it.")
    }
    let modes = [list, verify, delete != nil, to != nil, newLine || newFolder].filter(\.self).count
    guard modes <= 1, file == nil || list || verify || modes == 0 else {
      throw ValidationError(
        "Pass only one of a file, --to, --list, --verify, --delete, and --new-line or --new-folder.")
    }
    guard !json || list else { throw ValidationError("--json requires --list.") }
    guard !yes || delete != nil else { throw ValidationError("--yes requires --delete.") }
    guard file != "-" || modes == 0 else { throw ValidationError("- cannot be combined with --list or --verify.") }
    for path in [file, to].compactMap(\.self) {
      guard !path.hasNUL, !path.isEmpty else { throw ValidationError("The file needs a name.") }
      guard modes > 0 || !path.hasSuffix("/") else { throw ValidationError("The file needs a name.") }
    }
  }

  private var isStreamed: Bool { file == "-" }

  func execute() throws {
    // Only the owner may read the files.
    umask(0o077)
    let settings = try options.settings()
    if list { return try showList(settings) }
    let signals = try TerminationSignals()
    signals.exit(at: 2)
    if verify { return try verify(settings, signals) }
    if let delete { return try deleteMoment(delete, settings) }
    try settings.requireFiles(for: "backup")
    guard file == nil, to == nil else { return try makeByHand(settings, signals) }
    try makeInFolder(settings)
  }

  // MARK: - Backups

  /// A backup in BACKUP_DIR, by the server if one runs.
  private func makeInFolder(_ settings: Settings) throws {
    let start = ContinuousClock.now
    let reply = try OwnerConnection(settings).run(.backup(newLine: newLine, newFolder: newFolder)).object
    guard let backup = reply[member: "backup"] else {
      throw OperationError("The server did not say what was backed up.")
    }
    let contents = Self.contents(backup.count("users"), backup.count("photos"), backup.count("photo_bytes"))
    let added = "\(backup.bytes("new_bytes")) new, \(Self.time(since: start))"
    Terminal.writeLines("\(reply.shown("path")) has \(contents), \(added).", to: STDOUT_FILENO)
    for problem in backup.elements("problems") {
      Terminal.writeLines("\(problem.shown("id")): \(problem.shown("reason"))", to: STDERR_FILENO)
    }
    for case .string(let warning) in reply.elements("warnings") { Terminal.writeLines(warning, to: STDERR_FILENO) }
    if reply.text("error") != nil { throw ExitCode(1) }
  }

  /// An archive, or a backup in another folder. A server that runs need not know of it until it is there.
  private func makeByHand(_ settings: Settings, _ signals: TerminationSignals) throws {
    let (start, now) = (ContinuousClock.now, unixMilliseconds())
    guard !isStreamed || isatty(STDOUT_FILENO) == 0 else {
      throw ConfigurationError("Standard output is a terminal. Send the backup to a new file or to another program.")
    }
    let place = file.map(FileSystem.parent) ?? to ?? ""
    guard isStreamed || !FileSystem.isInside(place, settings.storageDir) else {
      throw OperationError(
        "\(file ?? place) is in the storage. Name a place outside it, preferably on another disk.")
    }
    let (path, description) = try ProgressLine.during { line in
      let backup = StorageBackup(storage: settings.storageDir, now: now) { progress, _ in
        try signals.check()
        line.show(progress)
      } warn: { problem in
        line.clear()
        Terminal.writeLines(problem, to: STDERR_FILENO)
      }
      return try make(backup)
    }
    let contents = Self.contents(description.users, description.photos - description.lacking, description.photoBytes)
    Terminal.writeLines(
      "\(path) has \(contents), \(Self.time(since: start)).", to: isStreamed ? STDERR_FILENO : STDOUT_FILENO)
    if let file, let warning = PartialFile.warning(file) { Terminal.writeLines("\(warning).", to: STDERR_FILENO) }
    if !description.hasCredentials {
      Terminal.write(
        "It does not contain the API's name and password. If they come from your settings, back those up too.\n",
        to: STDERR_FILENO)
    }
    guard description.problems.isEmpty, description.isComplete else { throw ExitCode(1) }
    OwnerConnection.note(backupAt: now, settings)
  }

  private func make(_ backup: StorageBackup) throws -> (path: String, BackupDescription) {
    if isStreamed {
      let output = OpenFile(owning: dup(STDOUT_FILENO))
      return ("The backup", try backup.writeTar(to: output, name: "standard output"))
    }
    if let file {
      let advice = "since a backup never replaces a file"
      return (
        file,
        try PartialFile.make(file, replaces: false, advice: advice) { partial in
          let description = try backup.writeTar(to: partial.file, name: partial.path)
          try partial.sync()
          return description
        }
      )
    }
    guard let to, FileSystem.isFolder(to) else {
      throw OperationError("There is no folder \(to ?? ""). Mount its disk, or create it.")
    }
    let folder = BackupFolder(in: to, of: try backup.identity())
    guard try FileSystem.makeFolder(folder.path) || folder.exists else {
      throw OperationError("\(folder.path) is a link. Move it away: backups do not follow links.")
    }
    let made = try folder.whileLocked { _ in try backup.makeMoment(in: folder) }
    return (made.moment.path, made.description)
  }

  // MARK: - Existing backups

  /// The folder of the storage's backups in BACKUP_DIR, or those that the owner has named.
  private func folders(_ settings: Settings) throws -> [BackupFolder] {
    if let file { return try BackupFolder.all(in: file) }
    guard let place = settings.backupDir else {
      throw ConfigurationError("BACKUP_DIR is not set here. Name the folder of the backups.")
    }
    let folder = BackupFolder(in: place, of: try StorageBackup(storage: settings.storageDir, now: 0).identity())
    guard folder.exists else { throw OperationError("There are no backups of this storage in \(place).") }
    return [folder]
  }

  private func showList(_ settings: Settings) throws {
    let moments = try folders(settings).flatMap { try $0.moments() }.map(ListedMoment.init)
    if json { return Terminal.writeJSON(try JSONWriter.encode(moments, writesNull: true)) }
    guard !moments.isEmpty else { return Terminal.writeLines("There are no backups.", to: STDOUT_FILENO) }
    Terminal.write(
      table: [
        ("Name", .whole), ("Users", .number), ("Photos", .number), ("New", .number), ("State", .text),
      ],
      moments.map { moment in
        let state = moment.complete.map { $0 ? "complete" : "incomplete" } ?? "damaged"
        return [
          moment.name, moment.users.map { "\($0)" } ?? "-", moment.photos.map { "\($0)" } ?? "-",
          moment.newBytes.map(HumanValue.bytes) ?? "-", moment.verified ? state : "damaged",
        ]
      })
  }

  private func verify(_ settings: Settings, _ signals: TerminationSignals) throws {
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
      if let file, try !FileSystem.isFolder(file) || Moment(FileSystem.realPath(file) ?? file) != nil {
        return try verified(BackupSource.newest(at: file, skipsDamaged: false), report, lose)
      }
      return try folders(settings).map { folder in
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

  private func deleteMoment(_ name: String, _ settings: Settings) throws {
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
    let reason = try folder.delete(moment)
    Terminal.writeLines(
      "The backup \(name) is deleted. \(reason.map { "Its photos stay: \($0)" } ?? lost)", to: STDOUT_FILENO)
  }

  // MARK: - Output

  static func contents(_ users: Int64, _ photos: Int64, _ bytes: Int64) -> String {
    let counts = [(users, "user"), (photos, "photo")]
      .map { "\(HumanValue.number(Int($0))) \(inflected($1, $0))" }
    return (counts + [HumanValue.bytes(bytes)]).joined(separator: ", ")
  }

  /// "in 3.3 s".
  static func time(since start: ContinuousClock.Instant) -> String {
    let tenths = Int64(((ContinuousClock.now - start) / .milliseconds(100)).rounded())
    return "in \(tenths / 10).\(tenths % 10) s"
  }
}

extension OwnerConnection {
  /// Notes in the storage that it was backed up: through the server, or while none runs. A storage that can only be read, or
  /// that has another schema, is backed up too.
  static func note(backupAt time: Int64, _ settings: Settings) {
    if Storage.isHeld(settings.storageDir) {
      _ = try? OwnerConnection(settings).run(.noteBackup(time: time))
    } else if (try? Storage(path: settings.storageDir, makesFolder: false, logger: nil)) != nil {
      let path = StorageLayout(folder: settings.storageDir).database
      guard access(path, W_OK) == 0, let database = try? Connection(path: path, mode: .readWrite) else { return }
      try? database.noteBackup(at: time)
      database.close()
    }
  }
}
