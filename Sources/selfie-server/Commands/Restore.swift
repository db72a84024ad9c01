import ArgumentParser
import Cryptography
import Glibc
import SQLite
import SelfieAPI
import SelfieOperations

/// `selfie-server restore`: a storage out of a backup.
struct Restore: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Put a backup into an empty storage.",
    discussion: """
      STORAGE_DIR must be empty, or not there. Every byte is checked before the first file gets its place; after an \
      error the storage is as empty as before. Ends with 0 if everything is restored, with 1 and a message if not.
      """)

  @Argument(help: "What selfie-server backup has made.")
  var file: String

  @OptionGroup var options: SettingsOptions

  func run() throws {
    do {
      signal(SIGXFSZ, SIG_IGN)
      signal(SIGPIPE, SIG_IGN)
      let interruption = Interruption()
      let settings = try Settings(SettingSources(flags: options.given, file: options.config))
      let migrations = try Migrations(directory: MigrationsFolder.find(chosen: settings.migrationsDir)) {
        Digest.hex(Digest.sha256($0))
      }
      let archive = try BackupArchive(path: file)
      let restore = StorageRestore(storage: settings.storageDir)
      // Before a lock is put into somebody's folder.
      try restore.checkEmpty()
      let storage = try Storage(path: settings.storageDir, makesFolder: true, restores: true)
      let summary = try carryOut(restore, archive, migrations, interruption)
      Terminal.write(
        "\(storage.path) has \(Backup.contents(summary)), as of \(archive.head.madeAt).\n", to: STDOUT_FILENO)
      if !summary.hasCredentials {
        Terminal.write(
          "The backup has no API name and password. Set API_AUTH_NAME and API_AUTH_PASSWORD to those of that time.\n",
          to: STDERR_FILENO)
      }
    } catch {
      throw ExitCode.failure(error)
    }
  }

  private func carryOut(
    _ restore: StorageRestore, _ archive: BackupArchive, _ migrations: Migrations, _ interruption: Interruption
  ) throws -> BackupManifest.Summary {
    let line = ProgressLine()
    defer { line.clear() }
    return try restore.run(archive, migrations: migrations) { bytes in
      try interruption.check()
      line.show("Restoring: \(bytes) of \(archive.byteCount) bytes")
    }
  }
}
