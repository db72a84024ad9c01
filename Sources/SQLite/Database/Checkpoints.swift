import CSQLite
import Platform

/// Decides when the log is copied into the database file, and when that must stop.
///
/// SQLite would checkpoint by itself after a commit, but report no error. It counts how much of the log is in the file,
/// copies only the rest, and syncs the file once the whole log is in it (wal.c, walCheckpoint). A failed sync usually
/// does no harm: nothing was counted, so everything is copied and synced again. But pages that were copied while a
/// reader held up the rest are counted without a sync. If the sync after that fails, Linux drops the pages that it
/// could not write, and the next sync succeeds without them. Then SQLite would overwrite the log, which has the only
/// copy of them. So the log must stay as it is until the next start, which copies all of it.
struct Checkpoints {
  /// How many pages in the log make a checkpoint worthwhile: SQLite's own default, 4 MB.
  static let frames: Int32 = 1000

  private var threshold = Self.frames
  private var hasUnsyncedPages = false
  /// Whether the log must stay as it is until the next start. It grows then, but is just as safe.
  private(set) var areOver = false
  /// Why the last checkpoint failed; nil if it succeeded.
  private(set) var failure: SQLiteError?

  /// Must be called after each commit.
  mutating func checkpointIfDue(_ connection: Connection, _ reserve: DiskReserve?) {
    guard !areOver, connection.logFrames >= threshold else { return }
    do throws(SQLiteError) {
      hasUnsyncedPages = try !Self.checkpoint(connection, reserve)
      if !hasUnsyncedPages { connection.logFrames = 0 }
      threshold = Self.frames
      failure = nil
    } catch {
      failure = error
      areOver = hasUnsyncedPages && error.isFailedSync
      // A failing disk should not be tried again at each commit.
      threshold = connection.logFrames.addingReportingOverflow(Self.frames).partialValue
    }
  }

  /// Returns whether the whole log is in the file and synced. The file may have to grow for that.
  private static func checkpoint(_ connection: Connection, _ reserve: DiskReserve?) throws(SQLiteError) -> Bool {
    do throws(SQLiteError) {
      return try connection.checkpoint()
    } catch {
      guard error.isDiskFull, let reserve else { throw error }
      return try reserve.spend { () throws(SQLiteError) in try connection.checkpoint() }
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

  /// Copies to the file those pages of the log that no reader needs there. Waits for no reader.
  ///
  /// - Returns: whether the whole log is in the file and synced.
  func checkpoint() throws(SQLiteError) -> Bool {
    let database = try open()
    var (frames, copied): (Int32, Int32) = (0, 0)
    let code = sqlite3_wal_checkpoint_v2(database, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &copied)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
    return copied == frames
  }

  /// Makes closing the connection leave the log as it is.
  func keepLog() throws(SQLiteError) {
    let database = try open()
    let code = csqlite_keep_log(database)
    guard code == SQLITE_OK else { throw SQLiteError(code: code, of: database) }
  }
}
