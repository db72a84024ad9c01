package import HTTPMessages
import Platform
import SQL
package import SQLite
import SelfieAPI

/// Makes backups of a storage in which a server runs, at intervals, and removes the old ones. `StorageBackup` makes
/// each of them, and `BackupFolder` chooses those to keep.
///
/// A backup gets its name only once it is on the disk and was read again from there. The newest backup in the folder says
/// when the next is due, so that a restart neither skips one nor makes one too many. Backups of other storages in the
/// folder are left alone.
package final class ScheduledBackups: Sendable {
  /// A failure, such as a full disk, need not be there any more an hour later.
  private static let retryInterval: Int64 = 3_600_000
  /// Shorter pauses would take more time than they give. In milliseconds.
  private static let minPause: Int64 = 10
  /// After work that took longer, the disk was busy with other things anyway.
  private static let maxPause: Int64 = 1000

  /// Not a whole interval, since the clock may be set and the machine may sleep meanwhile.
  private static let maxSleep: Int64 = 60_000
  /// The lowest there is. The disk's scheduler goes by it too.
  private static let niceness = 19

  /// Of the files that a backup lacks. Doctor lists all.
  private static let maxNames = 5

  private let folder: BackupFolder
  let interval: Int64
  private let retention: BackupRetention
  private let storage: String
  private let database: Database
  private let clock: @Sendable () -> Int64
  private let isStopped = Monitor(false)
  private let thread = Monitor<Thread?>(nil)
  private let state = Monitor(LastBackup())

  /// - Parameters:
  ///   - folder: where the backups are.
  ///   - interval: between two backups, in milliseconds.
  ///   - storage: the folder with the database and the photos.
  ///   - database: of that storage.
  ///   - clock: the time in Unix milliseconds.
  package init(
    in folder: String, every interval: Int64, keeping retention: BackupRetention, storage: String,
    database: Database, clock: @escaping @Sendable () -> Int64
  ) throws {
    self.folder = BackupFolder(path: folder, storage: try database.read { $0.storageIdentity ?? "" })
    self.database = database
    self.interval = interval
    self.retention = retention
    self.storage = storage
    self.clock = clock
    // One that was made before the clock was set back says nothing about when the next is due.
    let now = clock()
    guard let newest = try? self.folder.backups().first(where: { $0.time <= now }) else { return }
    let byteCount = (try? FileSystem.status(newest.path))?.byteCount
    state.withLock { $0 = LastBackup(time: newest.time, file: newest.path, byteCount: byteCount) }
  }

  package var last: LastBackup { state.withLock { $0 } }

  /// The milliseconds until the next backup is due.
  package var wait: Int64 {
    let (now, last) = (clock(), last)
    let pause = last.failedAt == nil ? interval : min(interval, Self.retryInterval)
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
        guard pause <= Self.maxSleep, !isStopped.withLock({ $0 }) else { continue }
        let last = make()
        if !isStopped.withLock({ $0 }) { report(last) }
      }
    }
    thread.withLock { $0 = started }
  }

  /// Ends the backup that is under way, of which nothing is left. No other one can be made. Blocks until then.
  package func stop() {
    isStopped.withLock { $0 = true }
    isStopped.notifyAll()
    thread.withLock { $0.take() }?.join()
  }

  /// Makes a backup, and then removes those that need not be kept. Blocks for long. No other thread may make one
  /// meanwhile; while another process makes one, this one fails.
  package func make() -> LastBackup {
    let now = clock()
    do {
      let last = try attempt(now: now)
      state.withLock { $0 = last }
    } catch {
      state.withLock { ($0.error, $0.failedAt) = ("\(error)", now) }
    }
    return last
  }

  private func attempt(now: Int64) throws -> LastBackup {
    try checkUse()
    try folder.removePartials()
    let name = BackupFolder.name(at: now, of: folder.storage)
    let path = "\(folder.path)/\(name)"
    var workedSince = monotonicMilliseconds()
    var (count, lost): (Int, [String]) = (0, [])
    let backup = StorageBackup(storage: storage, now: now, isByHand: false) { [self] _, readsDatabase in
      // A pause would keep the database's log from being checkpointed.
      if !readsDatabase { pause(&workedSince) }
      guard !isStopped.withLock({ $0 }) else { throw OperationError("The server was stopped meanwhile.") }
    } lost: {
      count += 1
      if lost.count < Self.maxNames { lost.append($0) }
    }
    _ = try backup.make(path, replaces: false, verifies: true)
    var last = LastBackup(
      time: BackupFolder.parts(of: name)?.time, file: path, byteCount: try FileSystem.status(path)?.byteCount)
    guard count == 0 else {
      // The older ones may have what this one lacks.
      last.error = """
        \(counted(count, "photo")) in the storage \(count == 1 ? "is" : "are") missing or damaged: \
        \(lost.joined(separator: ", "))\(count > lost.count ? " and more" : ""). The backup has all others. Older backups are \
        kept. Check the disk, and run selfie-server doctor.
        """
      return last
    }
    do {
      try folder.prune(keeping: retention, now: now)
    } catch {
      last.error = "An old backup cannot be removed: \(error)"
    }
    return last
  }

  /// A storage in which nobody has an account, beside backups of other storages only: most probably the disk of the
  /// right one is not mounted.
  private func checkUse() throws {
    let all = try folder.all()
    guard let newest = all.first, !all.contains(where: { $0.storage == folder.storage }),
      try database.read({ try !$0.exists(StorageIdentityStore.anyAccount) })
    else { return }
    let time = HumanValue.time(Timestamp.text(unixMilliseconds: newest.time))
    throw OperationError(
      """
      This storage is new and empty, but \(folder.path) has backups of another one, the newest from \(time) UTC. Is the \
      disk of \(storage) mounted? No backup is made or removed until you restore one, move the old ones away, or \
      something is stored here.
      """)
  }

  /// Waits for as long as the work since the last pause has taken, so that a backup uses the disk for half of the time at
  /// most. Ends when the server stops.
  private func pause(_ workedSince: inout Int64) {
    let now = monotonicMilliseconds()
    let worked = min(now - workedSince, Self.maxPause)
    guard worked >= Self.minPause else { return }
    isStopped.wait(until: now + worked) { $0 ? () : nil }
    workedSince = monotonicMilliseconds()
  }
}

/// The last of the backups that the server makes automatically. `ScheduledBackups` keeps it up to date.
package struct LastBackup: Sendable, Equatable {
  /// When the newest backup was made, in Unix milliseconds; nil: there is none.
  package var time: Int64?
  /// Its file.
  package var file: String?
  package var byteCount: Int64?
  /// Whether it was read again after it was written, and found whole. Before that it has no name.
  package var isVerified: Bool { time != nil }
  /// Why the last attempt has failed, or what the newest backup lacks; nil if all is well.
  package var error: String?
  /// When the last attempt has failed; nil if it has not.
  var failedAt: Int64?

  /// Writes the members that are public: the error may name paths.
  package func writePublicMembers(to json: inout JSONWriter) {
    json.member("time", time: time)
    json.member("bytes", byteCount)
    json.member("verified", isVerified)
    json.member("failed", error != nil)
  }
}
