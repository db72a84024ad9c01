import CSQLite
import Platform
import Synchronization

/// Decides when the log is copied into the database file, and when that must stop. LogRewrite.swift first
/// secures the log of an earlier process.
///
/// SQLite would checkpoint by itself after a commit, but report no error. It counts how much of the log is in the file,
/// copies only the rest, and syncs the file once the whole log is in it (wal.c, walCheckpoint). A failed sync usually
/// does no harm: nothing was counted, so everything is copied and synced again. But pages that were copied while a
/// reader held up the rest are counted without a sync. If the sync after that fails, Linux drops the pages that it
/// could not write, and the next sync succeeds without them. Then SQLite would overwrite the log, which has the only
/// copy of them. So the log must stay as it is until the next start, which copies all of it.
struct Checkpoints {
  /// How many pages in the log make a checkpoint worthwhile: SQLite's own default, 4 MB.
  static let frames = 1000
  /// From how many pages on a checkpoint waits for readers. That leaves it three more attempts until the log is eight
  /// times as long as it should be.
  static let framesBeforeWaiting = 4 * frames
  /// How many more pages make another attempt worthwhile while readers keep the log from beginning anew.
  private static let framesBetween = frames / 4

  private var threshold = Self.frames
  /// How long the log was at the last checkpoint; 0 once it has begun anew.
  private var checkpointedFrames = 0
  private var hasUnsyncedPages = false
  /// Whether the log must stay as it is until the next start. It grows then, but is just as safe.
  private(set) var areOver = false
  private let writer: Writer

  init(of writer: Writer) {
    self.writer = writer
  }

  /// Must be called after each commit.
  mutating func checkpointIfDue(_ connection: Connection) {
    let frames = Int(connection.logFrames)
    if frames < checkpointedFrames { (checkpointedFrames, threshold) = (0, Self.frames) }
    guard !areOver, frames >= threshold else { return }
    checkpointedFrames = frames
    let start = monotonicNanoseconds()
    var failure: SQLiteError?
    defer {
      writer.checkpoints.observe(monotonicNanoseconds() &- start)
      writer.checkpointFailure.withLock { $0 = failure }
    }
    do throws(SQLiteError) {
      let waits = frames >= Self.framesBeforeWaiting
      hasUnsyncedPages = try !checkpoint(connection, waits: waits)
      threshold = frames + (waits ? Self.frames : Self.framesBetween)
    } catch {
      failure = error
      writer.failedCheckpoints.wrappingAdd(1, ordering: .relaxed)
      areOver = hasUnsyncedPages && error.isFailedSync
      // A failing disk should not be tried again at each commit.
      threshold = frames + Self.frames
    }
  }

  /// Returns whether the whole log is in the file and synced. The file may have to grow for that.
  private func checkpoint(_ connection: Connection, waits: Bool) throws(SQLiteError) -> Bool {
    let attempt = { () throws(SQLiteError) in
      try waits ? connection.restartLog(writer.renewSnapshots) : connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
    }
    do throws(SQLiteError) {
      return try attempt()
    } catch {
      guard error.isDiskFull, let reserve = writer.reserve else { throw error }
      return try reserve.spend(attempt)
    }
  }
}

extension Connection {
  /// Stops SQLite from checkpointing at commits, and counts the log's frames instead.
  func takeOverCheckpoints() throws(SQLiteError) {
    // This replaces the hook of SQLite's own checkpoints (sqlite.org/c3ref/wal_hook.html). The connection outlives its
    // handle.
    sqlite3_wal_hook(
      try open(),
      { connection, _, _, frames in
        if let connection { Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logFrames = frames }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// How long each of the two steps of ``restartLog(_:)`` waits for readers. It is far longer than a read takes, and
  /// writes wait meanwhile.
  private static let maxWaitMilliseconds: Int32 = 500

  /// Copies the whole log to the file and makes the next write begin the log anew. Waits for the reads under way; reads
  /// that begin meanwhile wait for nothing.
  ///
  /// Without that wait the log would grow for as long as reads overlap: it can only begin anew at an instant at which no
  /// read needs it. While nothing is written, that instant comes by itself. A read that begins now needs nothing older
  /// than the last commit, and once the whole log is in the file, a read needs no log at all.
  ///
  /// - Returns: whether the whole log is in the file and synced.
  fileprivate func restartLog(_ renewSnapshots: () -> Void) throws(SQLiteError) -> Bool {
    let database = try open()
    sqlite3_busy_timeout(database, Self.maxWaitMilliseconds)
    defer { sqlite3_busy_timeout(database, Self.busyTimeoutMilliseconds) }
    renewSnapshots()
    guard try checkpoint(SQLITE_CHECKPOINT_FULL) else { return false }
    renewSnapshots()
    return try checkpoint(SQLITE_CHECKPOINT_RESTART)
  }

  /// Copies to the file those pages of the log that no reader needs there.
  ///
  /// - Returns: whether the whole log is in the file and synced.
  fileprivate func checkpoint(_ mode: Int32) throws(SQLiteError) -> Bool {
    var (frames, copied): (Int32, Int32) = (0, 0)
    let code = try sqlite3_wal_checkpoint_v2(open(), "main", mode, &frames, &copied)
    // Busy means that readers did not let it finish.
    if code != SQLITE_BUSY || frames < 0 { try check(code) }
    return copied == frames
  }

  /// Makes closing the connection leave the log as it is.
  func keepLog() throws(SQLiteError) {
    try check(csqlite_keep_log(open()))
  }
}
