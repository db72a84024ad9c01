import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQL
package import SQLite
import SelfieAPI

/// Makes the backups of a storage in BACKUP_DIR, at intervals and when the owner wants one, and removes the old ones.
/// `StorageBackup` makes each of them, and `BackupRetention` chooses those to keep.
///
/// It removes only backups of its own line that it has recorded in its database before it made them. The newest of these
/// says when the next is due, so that a restart neither skips one nor makes one too many.
package final class ScheduledBackups: Sendable {
  /// A failure, such as a full disk, need not be there any more an hour later.
  private static let retryInterval: Int64 = 3_600_000
  /// A disk that is not mounted is looked for as often as the schedule looks at the clock.
  private static let maxSleep: Int64 = 60_000
  /// Shorter pauses would take more time than they give. In milliseconds.
  private static let minPause: Int64 = 10
  /// After work that took longer, the disk was busy with other things anyway.
  private static let maxPause: Int64 = 1000
  /// How often a backup looks whether another one is still being made, and how long an owner is known to wait for one.
  private static let lockInterval: Int64 = 1000
  private static let patience: Int64 = 5000
  /// The lowest there is. The disk's scheduler goes by it too.
  private static let niceness = 19

  package let place: BackupPlace
  package let interval: Int64
  private let retention: BackupRetention
  /// Bytes of the storage's disk that must stay free.
  private let reserved: Int64
  private let clock: @Sendable () -> Int64
  private let isStopped = Monitor(false)
  private let thread = Monitor<Thread?>(nil)
  private let state = Monitor(LastBackup())
  /// When the owner has last asked for a backup while one was being made, by the monotonic clock.
  private let askedAt = Monitor(Int64.min)

  /// - Parameters:
  ///   - folder: BACKUP_DIR.
  ///   - interval: between two backups, in milliseconds.
  ///   - storage: the folder with the database and the photos.
  ///   - database: of that storage.
  ///   - maxPhotoBytes: of an upload, for which the storage's disk keeps room.
  ///   - clock: the time in Unix milliseconds.
  package init(
    in folder: String, every interval: Int64, keeping retention: BackupRetention, storage: String,
    database: Database, maxPhotoBytes: Int = 0, clock: @escaping @Sendable () -> Int64
  ) throws {
    place = try BackupPlace(folder, storage: storage, database: database)
    (self.interval, self.retention, self.clock) = (interval, retention, clock)
    reserved = Int64(clamping: maxPhotoBytes) &+ Readiness.roomForDatabase
    // One that was made before the clock was set back says nothing about when the next is due.
    guard let newest = try? place.own(before: clock()).first, let description = try? newest.description() else {
      return
    }
    state.withLock { $0 = LastBackup(newest, description) }
  }

  package var last: LastBackup { state.withLock { $0 } }

  /// What the owner should know about the backups, besides the error.
  package var warnings: [String] {
    let last = last
    return last.warnings + (last.isPlaceMissing ? [] : (try? place.warnings(now: clock(), every: interval)) ?? [])
  }

  /// The milliseconds until the next backup is due.
  package var wait: Int64 {
    let (now, last) = (clock(), last)
    let retry = last.isPlaceMissing ? Self.maxSleep : Self.retryInterval
    let pause = last.failedAt == nil ? interval : min(interval, retry)
    // At once, if the clock was set back.
    guard let since = last.failedAt ?? last.time, since <= now else { return 0 }
    return max(0, since &+ pause &- now)
  }

  /// Makes each backup when it is due, on a thread that lets everything else go first, until `stop`.
  package func start(_ report: @escaping @Sendable (LastBackup) -> Void) throws {
    let started = try Thread(named: "backup", niceness: Self.niceness) { [self] in
      while !isStopped.withLock({ $0 }) {
        let pause = wait
        isStopped.wait(until: monotonicMilliseconds() + min(pause, Self.maxSleep)) { $0 ? () : nil }
        guard !isStopped.withLock({ $0 }) else { return }
        guard pause <= Self.maxSleep || lookAgain() else { continue }
        let before = self.last
        guard let last = try? make() else { continue }
        let isNews = last.error != before.error || last.time != before.time || !last.isPlaceMissing
        if isNews, !isStopped.withLock({ $0 }) { report(last) }
      }
    }
    thread.withLock { $0 = started }
  }

  /// Whether the newest backup or the whole folder is not there any more, so that one is due.
  private func lookAgain() -> Bool {
    guard let file = last.file, access(file, F_OK) != 0 else { return false }
    state.withLock { $0 = LastBackup() }
    return true
  }

  /// Ends the backup that is under way, of which nothing is left. No other one can be made. Blocks until then.
  package func stop() {
    isStopped.withLock { $0 = true }
    isStopped.notifyAll()
    thread.withLock { $0.take() }?.join()
  }

  /// Makes a backup, and then removes those that need not be kept. Blocks for long.
  ///
  /// - Parameters:
  ///   - isByHand: whether the owner waits for it: then it makes no pauses.
  ///   - changes: what the owner has decided about the folder.
  /// - Throws: `BackupInProgress` to an owner while another one is being made, which then makes no pauses either. An automatic
  ///   backup waits.
  package func make(isByHand: Bool = false, _ changes: BackupPlace.Changes = []) throws -> LastBackup {
    let now = clock()
    do {
      try place.require(changes, now: now)
    } catch {
      return state.withLock { state in
        state = LastBackup(error: "\(error)", failedAt: now, isPlaceMissing: true)
        return state
      }
    }
    do {
      let last = try attempt(now: now, isByHand)
      state.withLock { $0 = last }
    } catch let error as BackupInProgress {
      askedAt.withLock { $0 = monotonicMilliseconds() }
      throw error
    } catch {
      state.withLock { ($0.error, $0.failedAt, $0.isPlaceMissing) = ("\(error)", now, false) }
    }
    return last
  }

  private func attempt(now: Int64, _ isByHand: Bool) throws -> LastBackup {
    var workedSince = monotonicMilliseconds()
    let warnings = Monitor<[String]>([])
    let backup = StorageBackup(storage: place.storage, now: now) { [self] _, readsDatabase in
      // A pause would keep the database's log from being checkpointed.
      if !readsDatabase, !isByHand { pause(&workedSince) }
      try requireRunning()
    } warn: { warning in
      warnings.withLock { $0.append(warning) }
    }
    let wait = { [self] (error: BackupInProgress) throws in
      if isByHand { throw error }
      isStopped.wait(until: monotonicMilliseconds() + Self.lockInterval) { $0 ? () : nil }
      try requireRunning()
    }
    return try place.folder.whileLocked(wait: wait) { lock in
      try prune(lock, now, warnings)
      let reserved = place.isOnStoragesDisk ? reserved : 0
      let made = try backup.makeMoment(in: place.folder, reserved: reserved) { name in
        try place.note { try $0.recordBackup(name) }
      }
      let time = made.moment.time
      var last = LastBackup(made.moment, made.description)
      if made.description.isComplete { try place.note { try $0.noteBackup(at: time) } }
      do { try prune(lock, time, warnings) } catch {
        last.error = [last.error, "Old backups cannot be removed: \(error)"].compactMap(\.self).joined(separator: " ")
      }
      // What is removed is looked for before the backup and after it.
      var seen = Set<String>()
      last.warnings = warnings.withLock { $0.filter { seen.insert($0).inserted } }
      return last
    }
  }

  private func requireRunning() throws {
    guard !isStopped.withLock({ $0 }) else { throw OperationError("The server was stopped meanwhile.") }
  }

  /// Removes what the rule does not keep, and then the photos that no backup names.
  private func prune(_ lock: BackupLock, _ now: Int64, _ warnings: Monitor<[String]>) throws {
    let own = try place.own(before: now)
    // One whose database is damaged must not make an older one go.
    let newestComplete = own.first { (try? $0.description())?.isComplete == true && (try? $0.openChecked()) != nil }
    let expendable = Set(retention.expendable(own.map(\.time)))
    let old = own.filter { expendable.contains($0.time) && $0 != newestComplete }
    let unfinished = try place.folder.unfinished()
    // Said with the other warnings.
    if try place.doubt() != nil { return }
    guard lock.isReliable else {
      if !old.isEmpty { warnings.withLock { $0.append(BackupPlace.unreliable) } }
      return
    }
    for path in unfinished { try FileSystem.removeTree(path) }
    for moment in old { try place.folder.remove(moment) }
    guard !old.isEmpty || !unfinished.isEmpty else { return }
    let names = old.map(\.name)
    try place.note { try $0.forgetBackups(names) }
    do { _ = try PhotoPool(of: place.folder).removeUnnamed(lock) } catch {
      warnings.withLock { $0.append("No photo is removed from the backups: \(error)") }
    }
  }

  /// Waits for as long as the work since the last pause has taken, so that a backup uses the disk for half of the time at
  /// most. Ends when the server stops.
  private func pause(_ workedSince: inout Int64) {
    let now = monotonicMilliseconds()
    let worked = min(now - workedSince, Self.maxPause)
    guard worked >= Self.minPause, askedAt.withLock({ now - Self.patience > $0 }) else { return }
    isStopped.wait(until: now + worked) { $0 ? () : nil }
    workedSince = monotonicMilliseconds()
  }
}

/// The last of the backups in BACKUP_DIR. `ScheduledBackups` keeps it up to date.
package struct LastBackup: Sendable, Equatable {
  /// Of the photos that a backup lacks. Doctor lists all.
  private static let maxNames = 5

  /// When the newest backup was made, in Unix milliseconds; nil: there is none.
  package var time: Int64?
  /// Its folder.
  package var file: String?
  /// Of its database and all its photos.
  package var byteCount: Int64?
  package var description: BackupDescription?
  /// Why the last attempt has failed, or what the newest backup lacks; nil if all is well.
  package var error: String?
  /// As `error`, without most of the ids, which are secret.
  package var loggedError: String?
  /// What the owner should know besides.
  package var warnings: [String] = []
  /// When the last attempt has failed; nil if it has not.
  var failedAt: Int64?
  /// Whether BACKUP_DIR is not what it was.
  var isPlaceMissing = false

  /// Whether its database was checked, and all its photos are in the pool.
  package var isVerified: Bool { description?.isComplete == true }

  init(time: Int64? = nil, error: String? = nil, failedAt: Int64? = nil, isPlaceMissing: Bool = false) {
    (self.time, self.error, self.failedAt, self.isPlaceMissing) = (time, error, failedAt, isPlaceMissing)
  }

  init(_ moment: Moment, _ description: BackupDescription) {
    (time, file, self.description) = (moment.time, moment.path, description)
    byteCount = description.databaseBytes &+ description.photoBytes
    guard !description.problems.isEmpty || !description.isComplete else { return }
    error = text(of: description) { $0.description }
    loggedError = text(of: description, \.logged)
  }

  private func text(of description: BackupDescription, _ shown: (PhotoProblem) -> String) -> String {
    let named = description.problems.prefix(Self.maxNames).map(shown).joined(separator: " ")
    let rest = description.problems.count > Self.maxNames ? " More are listed in \(file ?? "")/backup.json." : ""
    let count =
      description.isComplete
      ? "The backup is complete, but the storage has lost photos."
      : "\(counted(description.lacking, "photo")) of the storage \(description.lacking == 1 ? "is" : "are") not in the "
        + "backup. It has all others, and older backups are kept by the same rule."
    return "\(count) \(named)\(rest) Check the disk, and run selfie-server doctor."
  }
}

/// The last backup as `/readyz` shows it to anyone: without its error, which may name paths.
package struct LastBackupView: Codable, Equatable, Sendable {
  /// Such as 2026-11-20T22:24:16.641Z; nil if there is none.
  package let time: String?
  package let bytes: Int64?
  package let isVerified: Bool
  package let hasFailed: Bool

  package init(_ backup: LastBackup) {
    time = backup.time.map(Timestamp.text)
    bytes = backup.byteCount
    isVerified = backup.isVerified
    hasFailed = backup.error != nil
  }

  private enum CodingKeys: String, CodingKey {
    case time, bytes
    case isVerified = "verified"
    case hasFailed = "failed"
  }
}
