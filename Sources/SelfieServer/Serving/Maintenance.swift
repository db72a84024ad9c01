import Glibc
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieOperations

/// The work that a server does at intervals, whatever requests come. Upkeep.swift in SelfieAPI has the work on stored
/// data.
struct Maintenance {
  private let tasks: [Task<Void, Never>]

  /// Expired tokens and the files of deleted photos do no harm. Once in ten minutes keeps them from piling up, at the
  /// cost of a few queries.
  private static let pruningInterval = Duration.seconds(600)
  /// Until a photo has its digest, neither a backup nor doctor can tell that it is damaged. To find that there is no
  /// new photo takes one query.
  private static let digestingInterval = Duration.seconds(5)

  /// Memory returns to the system soon after a wave of clients.
  private static let memoryInterval = Duration.seconds(5)
  init(of backend: Backend, logger: Logger) {
    let uncounted = Monitor(UncountedMemory())
    tasks = [
      Self.repeating("prune", every: Self.pruningInterval, logger) {
        try await backend.forEach { try await $0.prune() }
      },
      Self.repeating("note digests", every: Self.digestingInterval, logger) {
        try await backend.forEach { try await $0.noteDigests() }
      },
      Self.repeating("return memory", every: Self.memoryInterval, logger) {
        let anonymous = ProcessStatistics.anonymousBytes ?? 0
        let bytes = anonymous - Int64(backend.application.memory.usedBytes)
        if uncounted.withLock({ $0.hasGrown(to: bytes) }) { returnUnusedMemory() }
      },
    ]
  }

  /// Blocks until no work is under way: a read that runs while the database closes keeps its log from being
  /// checkpointed.
  func stop() throws {
    for task in tasks { task.cancel() }
    try Blocking.run { [tasks] in for task in tasks { await task.value } }
  }

  private static func repeating(
    _ name: String, every interval: Duration, _ logger: Logger, _ work: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, Never> {
    Task(priority: Blocking.priority) {
      while !Task.isCancelled {
        do {
          try await work()
        } catch {
          guard !Task.isCancelled else { break }
          logger.error("maintenance failed", metadata: ["work": "\(name)", "error": "\(error)"])
        }
        try? await Task.sleep(for: interval)
      }
    }
  }
}

/// Makes a server's backups while it runs, on a thread that lets everything else go first. `ScheduledBackups` in
/// SelfieOperations decides when each is due.
struct BackupTask {
  let backups: ScheduledBackups
  private let pool: WorkerPool
  private let task: Task<Void, Never>

  /// The lowest there is. The disk's scheduler goes by it too.
  private static let niceness = 19
  /// Not a whole interval, since the clock may be set and the machine may sleep meanwhile.
  private static let maxSleep: Int64 = 60_000

  /// Nil if the owner wants none.
  ///
  /// - Throws: if the folder cannot be used.
  init?(_ settings: Settings, storage: String, database: Database?, logger: Logger) throws {
    guard let (folder, interval, retention) = settings.backups, let database else { return nil }
    try Self.check(folder, storage: storage)
    backups = try ScheduledBackups(
      in: folder, every: interval, keeping: retention, storage: storage, database: database,
      clock: unixMilliseconds)
    pool = WorkerPool(name: "backup", niceness: Self.niceness, threads: 1, waiting: 1)
    task = Task(priority: Blocking.priority) { [backups, pool] in
      while !Task.isCancelled {
        let wait = backups.wait
        try? await Task.sleep(for: .milliseconds(min(wait, Self.maxSleep)))
        guard wait <= Self.maxSleep, !Task.isCancelled, let last = try? await pool.run({ backups.make() }) else {
          continue
        }
        if !Task.isCancelled { Self.log(last, to: logger) }
      }
    }
  }

  /// Ends a backup that is under way, which leaves nothing. Blocks until then.
  func stop() {
    task.cancel()
    backups.stop()
    pool.shutDown()
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
