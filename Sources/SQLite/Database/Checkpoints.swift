import CSQLite

/// When the log goes into the database file, and when it no longer may.
///
/// SQLite would do it by itself after a commit, but tell nobody of an error. It counts how much of the log is in the
/// file, copies only what is beyond that, and syncs the file when the whole log is in it (wal.c, walCheckpoint). Mostly
/// a failed sync does no harm: nothing was counted, so all of it is copied again, and by that synced again. But
/// what was copied while a reader held the rest up is counted without a sync. If the sync after that fails, Linux
/// forgets what was to be written, and the next sync succeeds without it. Then SQLite would begin the log anew: with
/// the only copy in it. So the log must stay until the next start, which counts from nothing.
struct Checkpoints {
  /// How many pages in the log make a checkpoint worth while: SQLite's own number, 4 MB.
  static let frames: Int32 = 1000

  private var threshold = Self.frames
  private var hasUnsyncedPages = false
  /// Whether the log must stay as it is until the next start. It grows then, and is no less safe.
  private(set) var areOver = false
  /// Why the last one failed; nil if it did not.
  private(set) var failure: SQLiteError?

  /// To be called after each commit.
  mutating func checkpointIfDue(_ connection: Connection) {
    guard !areOver, connection.logFrames >= threshold else { return }
    do throws(SQLiteError) {
      hasUnsyncedPages = try !connection.checkpoint()
      if !hasUnsyncedPages { connection.logFrames = 0 }
      threshold = Self.frames
      failure = nil
    } catch {
      failure = error
      areOver = hasUnsyncedPages && error.isFailedSync
      // A failing disk is not asked at each commit.
      threshold = connection.logFrames.addingReportingOverflow(Self.frames).partialValue
    }
  }
}

extension Connection {
  /// Makes no checkpoint at commits any more, and counts the log's frames instead.
  func takeOverCheckpoints() throws(SQLiteError) {
    // The same hook as SQLite's own checkpoints, which it replaces (sqlite.org/c3ref/wal_hook.html). The connection
    // outlives its handle.
    sqlite3_wal_hook(
      try open(),
      { connection, _, _, frames in
        if let connection { Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logFrames = frames }
        return SQLITE_OK
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  /// Copies from the log to the file what no reader needs there. Waits for nobody.
  ///
  /// - Returns: whether the whole log is in the file, and that synced.
  func checkpoint() throws(SQLiteError) -> Bool {
    let database = try open()
    var (frames, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
    return copied == frames
  }

  /// Leaves the log as it is when the connection is closed.
  func keepLog() throws(SQLiteError) {
    let database = try open()
    let code = csqlite_keep_log(database)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
  }
}
