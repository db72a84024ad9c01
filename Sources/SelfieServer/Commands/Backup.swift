import ArgumentParser
import Glibc
import Platform
import SelfieAPI
import SelfieOperations

/// `selfie-server backup`: puts the whole storage into one file, or verifies such a file. `StorageBackup` and
/// `BackupArchive` in SelfieOperations do the work.
struct Backup: Command {
  static let configuration = CommandConfiguration(
    "backup", "Back up the database, the photos and the API's password to one file, or verify a backup.",
    discussion: """
      The server may keep running. The backup is a tar archive that only its owner can read; to restore it, use \
      `selfie-server restore`. The file gets its name only once it is complete and on the disk.

      With - for the file, the archive goes to standard output, which must not be a terminal.

      The exit status is 0 if everything was backed up, and 1 if not. If photos in the storage are missing or damaged, \
      all others are backed up, but the exit status is 1; so it is with --verify.
      """,
    examples: "backup /backups/selfie.tar", "backup --force /backups/selfie.tar", "backup - > /backups/selfie.tar",
    "backup --verify /backups/selfie.tar")

  @Argument(help: "The file to write, such as /backups/selfie.tar, or - for standard output.")
  var file: String

  @Flag(help: "Replace the file if it exists.")
  var force = false

  @Flag(help: "Do not make a backup: read this one and check each byte.")
  var verify = false

  @OptionGroup var options: StorageOptions

  func validate() throws {
    guard !(isStreamed && (verify || force)) else {
      throw ValidationError("- cannot be combined with --verify or --force.")
    }
    guard !(verify && force) else { throw ValidationError("--force cannot be combined with --verify.") }
    guard !file.hasNUL, !file.isEmpty, !file.hasSuffix("/") else {
      throw ValidationError("The file needs a name.")
    }
  }

  private var isStreamed: Bool { file == "-" }

  func execute() throws {
    // Only the owner may read the files.
    umask(0o077)
    let signals = try TerminationSignals()
    signals.exit(at: 2)
    guard !isStreamed || isatty(STDOUT_FILENO) == 0 else {
      throw ConfigurationError("Standard output is a terminal. Send the backup to a file or to another program.")
    }
    let summary = try verify ? verified(signals) : made(signals)
    if !summary.isComplete { throw ExitCode(1) }
  }

  private func made(_ signals: TerminationSignals) throws -> BackupManifest.Summary {
    let settings = try options.settings()
    try settings.requireFiles(for: "backup")
    let start = ContinuousClock.now
    let summary = try ProgressLine.during { line in
      let backup = StorageBackup(storage: settings.storageDir, now: unixMilliseconds()) { progress, _ in
        try signals.check()
        line.show(progress)
      } lost: { file in
        line.clear()
        Terminal.writeLines("cannot be backed up: \(file)", to: STDERR_FILENO)
      }
      return isStreamed
        ? try backup.stream(to: OpenFile(owning: dup(STDOUT_FILENO)), name: "standard output")
        : try backup.make(file, replaces: force)
    }
    let name = isStreamed ? "The backup" : file
    Terminal.writeLines(
      "\(name) has \(Self.contents(summary)), \(Self.time(since: start)).",
      to: isStreamed ? STDERR_FILENO : STDOUT_FILENO)
    Self.warn(summary)
    if let warning = PartialFile.warning(file) { Terminal.writeLines("\(warning).", to: STDERR_FILENO) }
    if !summary.hasCredentials {
      Terminal.write(
        "It does not contain the API's name and password. If they come from your settings, back those up too.\n",
        to: STDERR_FILENO)
    }
    return summary
  }

  private func verified(_ signals: TerminationSignals) throws -> BackupManifest.Summary {
    let start = ContinuousClock.now
    let archive = try BackupArchive(path: file)
    let folder = try FileSystem.makeTemporaryFolder(prefix: "/tmp/selfie-server-")
    defer { try? FileSystem.removeTree(folder) }
    let summary = try archive.withProgress("Reading", signals) { try archive.verify(in: folder, progress: $0) }
    let verdict =
      summary.isComplete ? "is intact" : "is intact, but photos were missing or damaged when it was made"
    Terminal.writeLines(
      "\(file) \(verdict): \(Self.contents(summary)), of \(archive.head.madeAt), \(Self.time(since: start)).",
      to: STDOUT_FILENO)
    Self.warn(summary)
    return summary
  }

  static func contents(_ summary: BackupManifest.Summary) -> String {
    let counts = [(summary.users, "user"), (summary.photos, "photo")]
      .map { "\(HumanValue.number(Int($0))) \(inflected($1, $0))" }
    return (counts + [HumanValue.bytes(summary.photoBytes)]).joined(separator: ", ")
  }

  /// "in 3.3 s".
  static func time(since start: ContinuousClock.Instant) -> String {
    let tenths = Int64(((ContinuousClock.now - start) / .milliseconds(100)).rounded())
    return "in \(tenths / 10).\(tenths % 10) s"
  }

  /// Says what the storage had lost or damaged when the backup was made.
  static func warn(_ summary: BackupManifest.Summary) {
    for (count, state) in [
      (summary.missing, "missing or unreadable, and so not in the backup"),
      (summary.damaged, "damaged, and so damaged in the backup too"),
    ] where count > 0 {
      Terminal.writeLines("Photos \(state): \(count). Run selfie-server doctor.", to: STDERR_FILENO)
    }
  }
}

extension BackupArchive {
  /// Runs `body` with a function that shows how much of the archive was read, and throws once a signal has come.
  func withProgress<Result>(
    _ verb: String, _ signals: TerminationSignals,
    _ body: (@escaping @Sendable (_ bytes: Int64) throws -> Void) throws -> Result
  ) rethrows -> Result {
    try ProgressLine.during { line in
      try body { [byteCount] bytes in
        try signals.check()
        line.show(Progress(verb, bytes: bytes, of: byteCount))
      }
    }
  }
}
