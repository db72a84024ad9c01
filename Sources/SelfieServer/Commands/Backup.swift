import ArgumentParser
import Glibc
import HTTPMessages
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server backup`: backs up the whole storage, and lists, verifies and deletes backups. `ScheduledBackups` and
/// `StorageBackup` in SelfieOperations do the work; Backup+Existing.swift has what is done with existing backups.
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
    if let delete { return try deleteMoment(delete, settings, signals) }
    try settings.requireFiles(for: "backup")
    // What is made in BACKUP_DIR must be recorded: otherwise it would seem to be of another server.
    let isElsewhere = to.map { !isSameFolder($0, settings.backupDir) } ?? (file != nil)
    if isElsewhere { return try makeByHand(settings, signals) }
    try makeInFolder(settings, signals)
  }

  // MARK: - Backups

  private func isSameFolder(_ path: String, _ other: String?) -> Bool {
    guard let other, let (first, second) = try? (FileSystem.status("\(path)/."), FileSystem.status("\(other)/.")) else {
      return false
    }
    return first != nil && first?.inode == second?.inode && first?.device == second?.device
  }

  /// A backup in BACKUP_DIR, by the server if one runs.
  private func makeInFolder(_ settings: Settings, _ signals: TerminationSignals) throws {
    let start = ContinuousClock.now
    let made = try make(on: try OwnerConnection(settings), BackupWait(signals))
    let added = "\(HumanValue.bytes(made.backup.newBytes)) new, \(Self.time(since: start))"
    Terminal.writeLines("\(made.path) has \(Self.contents(of: made.backup)), \(added).", to: STDOUT_FILENO)
    for problem in made.backup.problems { Terminal.writeLines("\(problem)", to: STDERR_FILENO) }
    for warning in made.warnings { Terminal.writeLines(warning, to: STDERR_FILENO) }
    if made.error != nil { throw ExitCode(1) }
  }

  private func make(on server: OwnerConnection, _ patience: BackupWait) throws -> MadeBackup {
    var reply: BackupReply = try server.run(.backup(newLine: newLine, newFolder: newFolder)).value()
    while true {
      switch reply {
      case .made(let backup): return backup
      case .inProgress(let folder):
        try patience.wait(for: folder)
        // What the owner has decided is done.
        reply = try server.run(.backup(newLine: false, newFolder: false)).value()
      }
    }
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
      return try make(backup, signals)
    }
    if to != nil {
      for problem in description.problems { Terminal.writeLines("\(problem)", to: STDERR_FILENO) }
    }
    Terminal.writeLines(
      "\(path) has \(Self.contents(of: description)), \(Self.time(since: start)).",
      to: isStreamed ? STDERR_FILENO : STDOUT_FILENO)
    if let file, let warning = PartialFile.warning(file) { Terminal.writeLines("\(warning).", to: STDERR_FILENO) }
    if !description.hasCredentials {
      Terminal.write(
        "It does not contain the API's name and password. If they come from your settings, back those up too.\n",
        to: STDERR_FILENO)
    }
    guard description.problems.isEmpty, description.isComplete else { throw ExitCode(1) }
    OwnerConnection.note(backupAt: now, settings)
  }

  private func make(_ backup: StorageBackup, _ signals: TerminationSignals) throws -> (path: String, BackupDescription)
  {
    if isStreamed {
      let output = OpenFile(owning: dup(STDOUT_FILENO))
      return ("The backup", try backup.writeTar(to: output, name: "standard output"))
    }
    if let file {
      let advice = "since a backup never replaces a file"
      return (
        file,
        try PartialFile.make(file, replaces: false, advice: advice) { partial in
          let description = try backup.writeTar(
            to: partial.file, name: partial.path, in: FileSystem.parent(of: partial.path))
          try partial.sync()
          return description
        }
      )
    }
    guard let to, FileSystem.isFolder(to) else {
      throw OperationError("There is no folder \(to ?? ""). Mount its disk, or create it.")
    }
    let folder = BackupFolder(in: to, of: try backup.identity())
    try folder.make()
    let patience = BackupWait(signals)
    let made = try folder.whileLocked(wait: { try patience.wait(for: $0.folder) }) { _ in
      try backup.makeMoment(in: folder)
    }
    return (made.moment.path, made.description)
  }

  // MARK: - Output

  private static func contents(of backup: BackupDescription) -> String {
    contents(backup.users, backup.photos - backup.lacking, backup.photoBytes)
  }

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
