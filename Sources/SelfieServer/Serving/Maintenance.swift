import Glibc
import Logging
import Platform
import SQL
import SQLite
import SelfieAPI
import SelfieOperations

// The work that a server does at intervals. `Upkeep` in SelfieAPI has the work on stored data, and
// `ScheduledBackups` in SelfieOperations makes the backups.
extension Backend {
  /// Begins the work that a server does at intervals, whatever requests come.
  func startMaintenance(logger: Logger) -> [Task<Void, Never>] {
    let all = [
      // The files of deleted photos do no harm. Once in ten minutes keeps them from piling up, at the cost of a few
      // queries.
      PeriodicWork("prune", every: 600) { try await forEach { try await $0.upkeep.prune() } },
      // The first call deletes nothing, so the clock has an hour to be set.
      PeriodicWork("forget expired", every: 3600) { try await forEach { try await $0.upkeep.forgetExpired() } },
      // Until a photo has its digest, neither a backup nor doctor can tell that it is damaged. To find that there is no
      // new photo takes one query.
      PeriodicWork("note digests", every: 5) { try await forEach { try await $0.upkeep.noteDigests() } },
    ]
    return all.map { $0.start(logger: logger) }
  }
}

/// Work that a server does at intervals.
private struct PeriodicWork: Sendable {
  private let name: String
  private let seconds: Int
  private let work: @Sendable () async throws -> Void

  init(_ name: String, every seconds: Int, _ work: @escaping @Sendable () async throws -> Void) {
    self.name = name
    self.seconds = seconds
    self.work = work
  }

  /// Does the work at once and then at intervals, until the task is cancelled.
  func start(logger: Logger) -> Task<Void, Never> {
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

extension ScheduledBackups {
  /// Begins to make a server's backups while it runs. Nil if the owner wants none.
  ///
  /// - Throws: if the folder cannot be used. A storage with accounts is served all the same: the disk of the backups may only
  ///   be away, and the alarm lasts until it is back.
  static func started(
    _ settings: Settings, storage: String, database: Database?, logger: Logger
  ) throws -> ScheduledBackups? {
    guard let folder = settings.backups?.folder, let database else { return nil }
    if let problem = BackupPlace.problem(of: folder),
      try !database.read({ try $0.exists(StorageIdentityStore.anyAccount) })
    {
      throw ConfigurationError(problem)
    }
    let backups = try ScheduledBackups.of(settings, storage: storage, database: database)
    try backups?.start { [weak backups] in log($0, backups?.warnings ?? [], to: logger) }
    return backups
  }

  /// Makes backups only when it is asked to. Nil without BACKUP_DIR.
  static func of(_ settings: Settings, storage: String, database: Database?) throws -> ScheduledBackups? {
    guard let backups = settings.backups, let database else { return nil }
    guard !FileSystem.isInside(backups.folder, storage) else {
      throw ConfigurationError(
        "BACKUP_DIR is \(backups.folder), which is in the storage. Name a folder outside it, preferably on another disk."
      )
    }
    return try ScheduledBackups(
      in: backups.folder, every: backups.interval, keeping: backups.retention, storage: storage, database: database,
      maxPhotoBytes: settings.maxPhotoBytes, clock: unixMilliseconds)
  }

  private static func log(_ last: LastBackup, _ warnings: [String], to logger: Logger) {
    if let warning = last.file.flatMap(PartialFile.warning) { logger.warning("\(warning)") }
    for warning in warnings { logger.warning("\(warning)") }
    if let error = last.loggedError ?? last.error {
      logger.error("the backup failed or is incomplete", metadata: ["error": "\(error)"])
    } else {
      logger.info(
        "the storage is backed up", metadata: ["folder": "\(last.file ?? "")", "bytes": "\(last.byteCount ?? 0)"])
    }
  }
}
