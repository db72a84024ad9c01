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
      STORAGE_DIR must be an empty folder, or not exist. Every byte is checked before the first file is put in place; \
      after an error the storage is as empty as before. The exit status is 0 if everything was restored, and 1 if not.

      With --photo, only that photo is restored into the storage of a stopped server: its address, its place in the \
      user's list and its bytes. Nothing else changes. Only that photo and the backup's database must be intact.
      """,
    examples: "restore /backups/selfie.tar",
    "restore --photo aKxUqRtKvWDyEQhtwGkRMGrXcGxHrjPlKzAhYTpqe /backups/selfie.tar",
    "restore --storage-dir /var/lib/selfie-server /backups/selfie.tar")

  @Argument(help: "A file that selfie-server backup made.")
  var file: String

  @Option(help: ArgumentHelp("Restore only this photo, by its random_id.", valueName: "id"))
  var photo: String?

  @Flag(
    help: """
      Restore what is intact of a damaged backup. Its damaged photos are left out and named, and the exit status is 1.
      """)
  var skipDamaged = false

  @OptionGroup var options: StorageOptions

  func validate() throws {
    guard file != "-" else { throw ValidationError("restore reads its file twice. Save the backup to a file first.") }
    guard photo.map({ Photo.isID($0.utf8) }) ?? true else {
      throw ValidationError("--photo must be a random_id, which has \(Photo.idLength) letters.")
    }
  }

  func execute() throws {
    let signals = try TerminationSignals()
    signals.exit(at: 2)
    let settings = try options.settings()
    try settings.requireFiles(for: "restore", writes: true)
    let isComplete = Monitor(true)
    let start = ContinuousClock.now
    let skip = { @Sendable (name: String) in
      isComplete.withLock { $0 = false }
      Terminal.writeLines("damaged in the backup, and not restored: \(name)", to: STDERR_FILENO)
    }
    let archive = try BackupArchive(path: file, skip: skipDamaged || photo != nil ? skip : nil)
    if let photo { return try putBack(photo, from: archive, settings, signals) }
    let restore = StorageRestore(storage: settings.storageDir)
    // First, so that no lock is put into a folder that is not empty.
    try restore.checkEmpty()
    let storage = try Storage(settings, restores: true, logger: StandardErrorLog.logger(settings))
    let summary = try archive.withProgress("Restoring", signals) { try restore.run(archive, progress: $0) }
    Terminal.writeLines(
      "\(storage.path) has \(Backup.contents(summary)), as of \(archive.head.madeAt), \(Backup.time(since: start)).",
      to: STDOUT_FILENO)
    Backup.warn(summary)
    for problem in try StorageRestore.passwordProblems(in: storage.path) {
      Terminal.writeLines(problem, to: STDERR_FILENO)
    }
    if !summary.hasCredentials {
      Terminal.write(
        """
        The backup does not contain the API name and password. Set API_AUTH_NAME and API_AUTH_PASSWORD to the values \
        that they had then.

        """,
        to: STDERR_FILENO)
    }
    if !isComplete.withLock({ $0 }) { throw ExitCode(1) }
  }

  private func putBack(
    _ id: String, from archive: BackupArchive, _ settings: Settings, _ signals: TerminationSignals
  ) throws {
    let storage = try Storage.stopped(settings)
    let email = try storage.withLibrary(settings) { database, library in
      try archive.withProgress("Reading", signals) { progress in
        try Blocking.run { try await library.restore(id, from: archive, database: database, progress: progress) }
      }
    }
    Terminal.writeLines(
      "\(storage.path) has the photo \(id) of \(email) again, as of \(archive.head.madeAt).", to: STDOUT_FILENO)
  }
}
