import Platform

/// Read-only connections, lent to one reader at a time.
///
/// A read runs on its caller's thread and never waits, so there are as many connections as threads that read at the
/// same instant: usually one for each event loop. The pool is a stack, so that the connection with the warmest cache
/// serves next.
final class ReaderPool: Sendable {
  /// More than a machine has event loops. Further connections are closed after use.
  static let maxIdle = 64

  /// `@unchecked Sendable`: a connection on the stack has no other owner, and one that was taken off has only its
  /// reader, so it never has two users. SQLite lets a connection move between threads (`SQLITE_OPEN_NOMUTEX`).
  private struct IdleReader: @unchecked Sendable {
    let connection: Connection
  }

  private let path: String
  /// Nil once the pool is closed.
  private let idle = Monitor<[IdleReader]?>([])

  init(path: String) {
    self.path = path
  }

  /// Closes the idle connections now, and each of the others as soon as its read is over.
  func close() {
    let readers = idle.withLock { idle in
      defer { idle = nil }
      return idle ?? []
    }
    for reader in readers { reader.connection.close() }
  }

  /// A connection for the caller alone until it is given back.
  func take() throws -> Connection {
    let reader = try idle.withLock { idle -> IdleReader? in
      guard idle != nil else { throw DatabaseClosed() }
      return idle?.popLast()
    }
    return try reader?.connection ?? Connection(path: path, mode: .readOnly)
  }

  func giveBack(_ connection: Connection) {
    // An open transaction would show the next reader old data, and keep the log from being checkpointed.
    let reader = connection.isInTransaction ? nil : IdleReader(connection: connection)
    let isKept = idle.withLock { idle in
      guard let reader, let count = idle?.count, count < Self.maxIdle else { return false }
      idle?.append(reader)
      return true
    }
    if !isKept { connection.close() }
  }
}
