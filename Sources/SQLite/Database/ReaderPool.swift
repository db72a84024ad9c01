import Platform
import SQL

/// Read-only connections, lent to one reader at a time. The connection that writes belongs to `Writer`.
///
/// A read runs on its caller's thread and never waits, so there are as many connections as threads that read at the
/// same instant: usually one for each event loop. The pool is a stack, so that the connection with the warmest cache
/// serves next.
final class ReaderPool: Sendable {
  /// More than a machine has event loops. Further connections are closed after use.
  static let maxIdle = 64

  private let path: String
  /// Nil once the pool is closed. A connection on the stack has no other owner, and one that was taken off has only its
  /// reader, so it never has two users. SQLite lets a connection move between threads (`SQLITE_OPEN_NOMUTEX`).
  private let idle = Monitor<[Connection]?>([])

  init(path: String) {
    self.path = path
  }

  /// A connection for the caller alone until it is given back. If the thread's reads use one snapshot, it is that
  /// snapshot's, which is not older than `epoch`.
  func borrow(epoch: Int) throws -> Connection {
    guard let snapshot = threadSnapshot, !snapshot.isLent else { return try take() }
    return try snapshot.borrow(epoch: epoch)
  }

  /// - Parameter isIntact: false after an error: what it has left of a snapshot is not known.
  func giveBack(_ connection: Connection, isIntact: Bool) {
    if let snapshot = threadSnapshot, snapshot.giveBack(connection, isIntact: isIntact) { return }
    giveBack(connection)
  }

  /// Ends the calling thread's snapshot. Its reads use one from the first call on: a thread that never calls this would
  /// never end it.
  func endSnapshot() {
    if let snapshot = threadSnapshot { snapshot.end() } else { ThreadSnapshot.current.value = ThreadSnapshot(of: self) }
  }

  /// Closes the idle connections now, and each of the others as soon as its read is over.
  func close() {
    let readers = idle.withLock { idle in
      defer { idle = nil }
      return idle ?? []
    }
    for reader in readers { reader.close() }
  }

  /// The calling thread's; nil if it has none of this database.
  private var threadSnapshot: ThreadSnapshot? {
    guard let snapshot = ThreadSnapshot.current.value, snapshot.readers === self else { return nil }
    return snapshot
  }

  fileprivate func take() throws -> Connection {
    let reader = try idle.withLock { idle in
      guard idle != nil else { throw DatabaseError.closed }
      return idle?.popLast()
    }
    return try reader ?? Connection(path: path, mode: .readOnly)
  }

  fileprivate func giveBack(_ connection: Connection) {
    // An open transaction would show the next reader old data, and keep the log from being checkpointed.
    let isKept =
      !connection.isInTransaction
      && idle.withLock { idle in
        guard let count = idle?.count, count < Self.maxIdle else { return false }
        idle?.append(connection)
        return true
      }
    if !isKept { connection.close() }
  }
}

/// The connection and the snapshot that consecutive reads on one thread use until the next commit, the next checkpoint
/// that waits for readers, or the end of the thread's turn. A snapshot costs two file locks, about as much as a small
/// read.
private final class ThreadSnapshot {
  static let current = ThreadLocal<ThreadSnapshot>()

  let readers: ReaderPool
  private(set) var isLent = false
  private var reader: Connection?
  /// The writer's `snapshotEpoch` when the snapshot was taken; nil without one.
  private var epoch: Int?

  init(of readers: ReaderPool) {
    self.readers = readers
  }

  deinit {
    end()
  }

  func borrow(epoch: Int) throws -> Connection {
    let reader = try reader ?? readers.take()
    self.reader = reader
    if self.epoch != epoch || !reader.isInTransaction {
      try commit()
      try reader.run("BEGIN")
      self.epoch = epoch
    }
    isLent = true
    return reader
  }

  /// - Returns: false if it has not lent this connection.
  func giveBack(_ connection: Connection, isIntact: Bool) -> Bool {
    guard isLent, connection === reader else { return false }
    isLent = false
    if !isIntact { try? commit() }
    return true
  }

  func end() {
    guard let reader else { return }
    // If it fails, the connection is still in its transaction, and the pool closes it.
    try? commit()
    readers.giveBack(reader)
    self.reader = nil
  }

  private func commit() throws {
    epoch = nil
    if let reader, reader.isInTransaction { try reader.run("COMMIT") }
  }
}
