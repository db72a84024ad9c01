import ArgumentParser
import Glibc
import Platform
import SelfieAPI
import SelfieOperations

/// `selfie-server restore`: puts a backup into an empty storage folder, or one photo of it back into a storage.
/// `StorageRestore` in SelfieOperations does the work, and `PhotoLibrary.restore` there that for a single photo.
struct Restore: Command {
  static let configuration = CommandConfiguration(
    "restore", "Restore a backup into an empty storage, or one photo from it.",
    discussion: """
      The source is a folder of backups, of which the newest complete one is used; one of the backups in it; or a tar \
      archive that any version has made. STORAGE_DIR must be an empty folder, or not exist. Every byte is checked before \
      the first file is put in place; after an error the storage is as empty as before. The exit status is 0 if \
      everything was restored, and 1 if not.

      With --photo, only that photo is restored into the storage of a stopped server: its address, its place in the \
      user's list and its bytes. Nothing else changes. Of a folder, the newest backup is used that has the photo whole.
      """,
    examples: "restore /backups", "restore /backups/9f86d081884c7d65/2026-11-21T03-30-00Z-3fa90c12",
    "restore selfie-2026-11-21.tar", "restore --photo aKxUqRtKvWDyEQhtwGkRMGrXcGxHrjPlKzAhYTpqe /backups")

  @Argument(help: "A folder of backups, one of them, or a tar archive.")
  var source: String

  @Option(help: ArgumentHelp("Restore only this photo, by its random_id.", valueName: "id"))
  var photo: String?

  @Flag(
    help: """
      Restore what is intact of a damaged or incomplete backup. Its other photos are left out and named, and the exit \
      status is 1.
      """)
  var skipDamaged = false

  @OptionGroup var options: StorageOptions

  func validate() throws {
    guard source != "-" else { throw ValidationError("restore reads its file twice. Save the backup to a file first.") }
    guard photo.map({ Photo.isID($0.utf8) }) ?? true else {
      throw ValidationError(
        "--photo must be a random_id, the \(Photo.idLength) letters at the end of the photo's address.")
    }
  }

  func execute() throws {
    let settings = try options.settings()
    try settings.requireFiles(for: "restore", writes: true)
    let layout = StorageLayout(folder: settings.storageDir)
    if Storage.isHeld(layout.folder) { throw StorageInUse(path: layout.folder, lock: layout.lock) }
    let signals = try TerminationSignals()
    signals.exit(at: 2)
    if let photo { return try putBack(photo, settings) }
    let start = ContinuousClock.now
    let restore = StorageRestore(storage: settings.storageDir)
    let (folder, source) = (source, try BackupSource.newest(at: source, skipsDamaged: skipDamaged))
    if FileSystem.isFolder(folder), let newer = try BackupSource.all(at: folder, skipsDamaged: true).first?.path,
      newer != source.path
    {
      Terminal.writeLines("\(newer) is newer, but damaged or incomplete.", to: STDERR_FILENO)
    }
    // First, so that no lock is put into a folder that is not empty.
    try restore.checkEmpty()
    let storage = try Storage(settings, restores: true, logger: StandardErrorLog.logger(settings))
    let found = try ProgressLine.during { line in
      let check = BackupCheck(source, skipsDamaged: skipDamaged) { progress in
        try signals.check()
        line.show(progress)
      } lose: { problem in
        line.clear()
        Terminal.writeLines("missing or damaged in the backup, and not restored: \(problem)", to: STDERR_FILENO)
      }
      return try restore.run(check, now: unixMilliseconds())
    }
    let contents = Backup.contents(found.users, found.photos, found.photoBytes)
    Terminal.writeLines(
      "\(storage.path) has \(contents), as of \(source.madeAt), from \(source.path), \(Backup.time(since: start)).",
      to: STDOUT_FILENO)
    for orphan in found.orphans { Terminal.writeLines("\(orphan).", to: STDERR_FILENO) }
    for problem in try StorageRestore.passwordProblems(in: storage.path) {
      Terminal.writeLines(problem, to: STDERR_FILENO)
    }
    if !found.hasCredentials {
      Terminal.write(
        """
        The backup does not contain the API name and password. Set API_AUTH_NAME and API_AUTH_PASSWORD to the values \
        that they had then.

        """,
        to: STDERR_FILENO)
    }
    if found.lost > 0 { throw ExitCode(1) }
  }

  private func putBack(_ id: String, _ settings: Settings) throws {
    let storage = try Storage.stopped(settings)
    let sources = try BackupSource.all(at: source, skipsDamaged: true)
    let text = try storage.withLibrary(settings) { database, library in
      try Blocking.run {
        let photo = try await library.restore(id, from: sources, database: database)
        let source = "as of \(photo.source.madeAt), from \(photo.source.path)"
        return "\(storage.path) has the photo \(id) of \(photo.email) again, \(source)."
      }
    }
    Terminal.writeLines(text, to: STDOUT_FILENO)
  }
}
