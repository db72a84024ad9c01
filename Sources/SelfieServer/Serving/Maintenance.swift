import Glibc
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

// The work that a server does at intervals. Upkeep.swift in SelfieAPI has the work on stored data, and
// `ScheduledBackups` in SelfieOperations makes the backups.
extension Backend {
  /// Begins the work that a server does at intervals, whatever requests come.
  func startMaintenance(logger: Logger) -> [Task<Void, Never>] {
    let all: [(name: String, seconds: Int, work: @Sendable () async throws -> Void)] = [
      // Expired tokens and the files of deleted photos do no harm. Once in ten minutes keeps them from piling up, at the
      // cost of a few queries.
      ("prune", 600, { try await forEach { try await $0.prune() } }),
      // Until a photo has its digest, neither a backup nor doctor can tell that it is damaged. To find that there is no
      // new photo takes one query.
      ("note digests", 5, { try await forEach { try await $0.noteDigests() } }),
    ]
    return all.map { name, seconds, work in
      Task(priority: Blocking.priority) {
        while !Task.isCancelled {
          do {
            try await work()
          } catch  where !Task.isCancelled {
            logger.error("maintenance failed", metadata: ["work": "\(name)", "error": "\(error)"])
          } catch {}
          try? await Task.sleep(for: .seconds(seconds))
        }
      }
    }
  }
}

extension ScheduledBackups {
  /// Begins to make a server's backups while it runs. Nil if the owner wants none.
  ///
  /// - Throws: if the folder cannot be used.
  static func started(
    _ settings: Settings, storage: String, database: Database?, logger: Logger
  ) throws -> ScheduledBackups? {
    guard let (folder, interval, retention) = settings.backups, let database else { return nil }
    try check(folder, storage: storage)
    let backups = try ScheduledBackups(
      in: folder, every: interval, keeping: retention, storage: storage, database: database, clock: unixMilliseconds)
    try backups.start { log($0, to: logger) }
    return backups
  }

  private static func check(_ folder: String, storage: String) throws(ConfigurationError) {
    guard FileSystem.isFolder(folder) else {
      throw ConfigurationError("BACKUP_DIR is \(folder), but there is no such folder. Create it, or mount its disk.")
    }
    guard access(folder, R_OK | W_OK | X_OK) == 0 else {
      throw ConfigurationError(
        errno == EROFS
          ? "BACKUP_DIR is \(folder), which is read-only for this process. Under systemd, add it to ReadWritePaths=."
          : "BACKUP_DIR is \(folder), which cannot be written to. Make the server's user its owner.")
    }
    guard !FileSystem.isInside(folder, storage) else {
      throw ConfigurationError(
        "BACKUP_DIR is \(folder), which is in the storage. Name a folder outside it, preferably on another disk.")
    }
  }

  private static func log(_ last: LastBackup, to logger: Logger) {
    if let warning = last.file.flatMap(PartialFile.warning) { logger.warning("\(warning)") }
    if let error = last.error {
      logger.error("the backup failed or is incomplete", metadata: ["error": "\(error)"])
    } else {
      logger.info(
        "the storage is backed up", metadata: ["file": "\(last.file ?? "")", "bytes": "\(last.byteCount ?? 0)"])
    }
  }
}
