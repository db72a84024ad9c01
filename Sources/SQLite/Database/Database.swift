package import Platform
package import SQL
import Synchronization

/// A database file with one connection that writes, on a thread of its own, and a pool of read-only connections.
/// `Writer` runs the writes, and `ReaderPool` has the connections that read.
///
/// Only one connection in one process may write and checkpoint: SQLite before 3.51.3 can corrupt a write-ahead log if
/// two do so at the same instant (sqlite.org/wal.html, "the WAL-reset bug"). The caller must see to it that no other
/// process opens the file for writing.
@usableFromInline
package final class Database: Sendable {
  /// If so many writes of a kind wait, another one is refused at once. They are about a second's work, at a few hundred syncs a
  /// second for up to 256 writes each, and no write should wait for longer.
  package static let maxWaitingWrites = 4096

  private let readers: ReaderPool
  let writer: Writer
  /// The writer's thread. Writes wait for the disk, which neither an event loop nor one of Swift's few threads may do.
  private let thread: Thread
  /// Whether the end of the thread was waited for.
  private let isJoined = Monitor(false)

  private let damageSeen = Monitor<SQLiteError?>(nil)
  /// The first error that said that the file is damaged. It stays: other parts of the file may still be read.
  package var damage: SQLiteError? { damageSeen.withLock { $0 } }

  /// How opening the file changed its schema.
  package let upgrade: Upgrade

  /// Opens the file at `path`, creates it if there is none, and runs the `migrations` that it has not had. `now` is in
  /// Unix milliseconds. Throws ``SQLiteError``, `ConfigurationError` or `SystemError`.
  ///
  /// Unless `keepsCopy` is false, the database is copied to `path` plus `.before-NNNN` before an existing schema is
  /// changed; the newest three copies are kept. If `isDurable` is false, nothing is ever synced to the disk. The
  /// `reserve` is room for checkpoints, and for writes that make room.
  package init(
    path: String, migrations: Migrations, now: Int64, keepsCopy: Bool = true, isDurable: Bool = true,
    reserve: DiskReserve? = nil
  ) throws {
    let connection = try Connection(path: path, mode: isDurable ? .readWrite : .readWriteUnsynced)
    if isDurable { try connection.rewriteLog() }
    upgrade = try migrations.upgrade(connection, at: path, now: now, keepsCopy: keepsCopy)
    try connection.takeOverCheckpoints()
    readers = ReaderPool(path: path)
    let writer = Writer(maxWaiting: Self.maxWaitingWrites, reserve: reserve)
    self.writer = writer
    // The thread takes the connection over.
    let handover = Monitor<Connection?>(connection)
    thread = try Thread(named: "sqlite-writer") {
      if let connection = handover.withLock({ $0.take() }) { writer.serve(connection) }
    }
  }

  deinit {
    readers.close()
    writer.close()
    // The last owner of the database may be a write, in which case this is the writer's thread.
    join()
  }

  /// Runs `body` on this thread with a read-only connection, which is no longer its own once it returns. It sees every
  /// write that was answered before; each statement sees the database as it is when that statement begins, unless
  /// ``Connection/snapshot(_:)`` keeps it still.
  @inlinable
  package func read<T>(_ body: (Connection) throws -> T) throws -> T {
    let connection = try borrowReader()
    do {
      let result = try body(connection)
      giveBack(connection, isIntact: true)
      return result
    } catch {
      note(error)
      giveBack(connection, isIntact: false)
      throw error
    }
  }

  @usableFromInline
  func borrowReader() throws -> Connection {
    do {
      return try readers.borrow(epoch: writer.snapshotEpoch)
    } catch {
      note(error)
      throw error
    }
  }

  @usableFromInline
  func note(_ error: any Error) {
    guard let error = error as? SQLiteError, error.isDamage else { return }
    damageSeen.withLock { $0 = $0 ?? error }
  }

  @usableFromInline
  func giveBack(_ connection: Connection, isIntact: Bool) { readers.giveBack(connection, isIntact: isIntact) }

  /// Ends the snapshot that this thread's reads share. For event loops, which call it at the end of every turn.
  ///
  /// From the first call on, reads on this thread cost less: until the next call they share a connection and a
  /// snapshot, which is renewed after each commit, so each still sees every write that was answered before it. The log
  /// is not checkpointed past an open snapshot, so the thread must not wait without calling this first.
  package func endSnapshot() {
    readers.endSnapshot()
  }

  /// The number of commits, and of other events that make reads begin a new snapshot.
  package var commitCount: Int { writer.snapshotEpoch }

  /// Grows with each commit that changes data of `key`, before its caller is resumed. Whoever keeps what was read may use
  /// it as long as this number stands. It must be asked for after a read only if ``commitCount`` is what it was before the
  /// read: otherwise a commit in between may be counted whose data were not read.
  package func changeCount(of key: Int64) -> Int { writer.changes[key] }

  /// Runs `body` on the writer thread, in a transaction, and returns once that is on disk. The transaction is shared
  /// with other writes, but an error of `body` undoes this write alone, and only this write throws it. If the
  /// transaction as a whole fails, all its writes throw that error and none has happened.
  ///
  /// `body` must not begin or end a transaction (a savepoint is allowed), and should do nothing slow but SQLite's work,
  /// because all writes wait for it. Throws `QueueFull` if ``maxWaitingWrites`` of its kind
  /// are waiting and no other client of that kind has more of them. Cancelling the task
  /// does not cancel its write.
  ///
  /// `changing` is the data that it changes, for those who keep what they have read; all if it is not known. Writes of
  /// each `flow` take turns with those of others, and are run in their order.
  ///
  /// If it `makesRoom`, it may use the disk's reserve. For that, `body` may be run twice, the first time without effect.
  @discardableResult
  package nonisolated(nonsending) func write<T: Sendable>(
    changing data: ChangedData = .all, flow: Flow = Flow(), makesRoom: Bool = false,
    _ body: @escaping @Sendable (Connection) throws -> T
  ) async throws -> T {
    do {
      return try await withCheckedThrowingContinuation { continuation in
        let job = WriteJob(changing: data, makesRoom: makesRoom, body, continuation)
        do { try writer.append(job, flow) } catch { job.refuse(error) }
      }
    } catch {
      note(error)
      throw error
    }
  }

  /// How many writes wait for the next transaction.
  package var waitingWrites: Int { writer.waitingCount }

  /// How long commits took since the database was opened, most of which is the sync. In nanoseconds.
  package var commits: Histogram.Reading { writer.commits.reading }

  package var checkpoints: Histogram.Reading { writer.checkpoints.reading }

  package var failedCheckpoints: Int { writer.failedCheckpoints.load(ordering: .relaxed) }

  /// Why the last checkpoint failed; nil if it succeeded. Nothing is lost after a failure, but the log grows.
  package var checkpointFailure: SQLiteError? { writer.checkpointFailure.withLock { $0 } }

  /// Refuses reads from now on, finishes the writes that were accepted, then checkpoints the log and closes the file.
  /// Blocks until then, but for a write that calls this. A read that is still running goes on, in which case the log
  /// stays for the next start.
  package func close() {
    // The connection that closes last checkpoints, and that must be the writer's.
    readers.close()
    writer.close()
    // A write cannot wait for its own thread, and leaves that to the next caller.
    if !thread.isCurrent { join() }
  }

  /// Waits for the thread's end, as others do that call this meanwhile.
  private func join() {
    isJoined.withLock { isJoined in
      if !isJoined { thread.join() }
      isJoined = true
    }
  }
}

/// Why a database did not run a read or a write.
package enum DatabaseError: Error, CustomStringConvertible {
  case closed
  /// The database's path leads to another file now, or to none. Whatever is written would be gone at the next start.
  case moved
  /// Rows came in another order than that of their index, so a page of the file is damaged or in the wrong place.
  case outOfOrder

  package var description: String {
    switch self {
    case .closed: "the database is closed"
    case .moved: "the database file was moved, deleted or replaced while it was open"
    case .outOfOrder: "the database is damaged: its rows are out of order"
    }
  }
}
