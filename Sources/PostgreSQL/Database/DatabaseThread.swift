import Glibc
import Platform
import SQL

/// A thread with a pool of its own, for callers that run on no event loop that has one.
final class DatabaseThread: Sendable {
  private struct Inbox {
    var calls: [@Sendable (ConnectionPool) -> Void] = []
    var isEnding = false
  }

  private let inbox = Monitor(Inbox())
  private let sockets: SocketSet
  private let thread = Monitor<Thread?>(nil)

  /// - Parameters:
  ///   - sockets: the pool's.
  ///   - makePool: is called on the thread.
  init(
    sockets: SocketSet, clock: @escaping @Sendable () -> Int64, makePool: @escaping @Sendable () -> ConnectionPool
  ) throws {
    self.sockets = sockets
    let started = try Thread(named: "database") { [inbox] in Self.run(makePool(), inbox, clock: clock) }
    thread.withLock { $0 = started }
  }

  deinit {
    close()
  }

  /// Fails what is in flight, and ends the thread. Blocks until it has ended.
  func close() {
    inbox.withLock { $0.isEnding = true }
    sockets.wake()
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    running?.join()
  }

  func read(_ query: Query) async throws -> Rows {
    try await withUnsafeThrowingContinuation { continuation in
      submit({ $0.read(query) { continuation.resume(with: $0) } }) { continuation.resume(throwing: $0) }
    }
  }

  /// Calls with the pool, on the thread; or with an error, here and now, if the thread has ended.
  private func submit(
    _ call: @escaping @Sendable (ConnectionPool) -> Void, orElse refuse: (SharedDatabaseError) -> Void
  ) {
    let isTaken = inbox.withLock { inbox in
      if !inbox.isEnding { inbox.calls.append(call) }
      return !inbox.isEnding
    }
    if isTaken { sockets.wake() } else { refuse(SharedDatabaseError(.away, "the database was closed")) }
  }

  private static func run(_ pool: ConnectionPool, _ inbox: Monitor<Inbox>, clock: () -> Int64) {
    while true {
      let (calls, isEnding) = inbox.withLock { inbox in
        defer { inbox.calls = [] }
        return (inbox.calls, inbox.isEnding)
      }
      if isEnding { pool.close() }
      for call in calls { call(pool) }
      if isEnding { return }
      pool.endOfTurn()
      wait(for: pool, clock)
      pool.process()
    }
  }

  private static func wait(for pool: ConnectionPool, _ clock: () -> Int64) {
    var waited = pollfd(fd: pool.descriptor, events: Int16(POLLIN), revents: 0)
    let timeout = pool.deadline().map { Int32(clamping: max(0, $0 &- clock())) } ?? -1
    _ = poll(&waited, 1, timeout)
  }
}
