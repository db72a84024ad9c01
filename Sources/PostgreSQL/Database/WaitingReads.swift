package import Platform
package import SQL

// The queue of reads. PostgreSQLDatabase+Blocking.swift runs them, and writes wait in a `WorkerPool`.

/// A read that waits for a connection.
struct WaitingRead: Sendable {
  let query: Query
  /// Monotonic milliseconds.
  let deadline: Int64
  let isCancelled: Monitor<Bool>
  /// Is called once.
  let finish: @Sendable (Result<Rows, any Error>) -> Void
}

/// Reads that wait for a thread. A thread takes those that came together, and sends them as one: a thread and a round trip
/// for each would cost more time than the server takes for them.
struct WaitingReads {
  private var queue = FairQueue<WaitingRead>()
  /// Whether a thread was told that there are reads, and has taken none yet.
  private var isTold = false
  /// Whether the server took long the last time. Reads then go out one by one, since the server is silent until it has run
  /// all that were sent together, and would seem dead.
  var isSlow = false

  var count: Int { queue.count }

  /// - Returns: whether a thread must be told.
  mutating func append(_ read: WaitingRead, _ flow: Flow) -> Bool {
    queue.append(read, flow)
    defer { isTold = true }
    return !isTold
  }

  /// The next reads, `max` at most, and whether another thread must be told that there are more.
  mutating func take(_ max: Int) -> (reads: [WaitingRead], isMore: Bool) {
    var reads: [WaitingRead] = []
    while reads.count < max, let read = queue.next() { reads.append(read) }
    isTold = queue.count > 0
    return (reads, isTold)
  }
}

extension PostgreSQLDatabase {
  package func read<Value: Sendable>(
    _ query: Query, flow: Flow, _ body: @escaping @Sendable (Rows) throws -> Value
  ) async throws -> Value {
    let deadline = clock() &+ limits.maxWait
    let isCancelled = Monitor(false)
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        let read = WaitingRead(query: query, deadline: deadline, isCancelled: isCancelled) { rows in
          continuation.resume(with: Result { try body(rows.get()) })
        }
        let mustTell = waiting.withLock { waiting in
          waiting.count < limits.maxWaiting ? waiting.append(read, flow) : nil
        }
        guard let mustTell else { return read.finish(.failure(Self.tooManyWait)) }
        if mustTell { tellReader() }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  static let tooManyWait = SharedDatabaseError(.away, "too many queries wait for a connection")
  static let tooLate = SharedDatabaseError(.away, "no connection was free in time")

  private func tellReader() {
    guard !readers.submit({ [self] in runWaiting() }) else { return }
    for read in waiting.withLock({ $0.take(.max) }).reads {
      read.finish(.failure(SharedDatabaseError(.away, "the database was closed")))
    }
  }

  private func runWaiting() {
    let (taken, isMore) = waiting.withLock { $0.take($0.isSlow ? 1 : limits.maxShared) }
    if isMore { tellReader() }
    let start = clock()
    let reads = taken.filter { read in
      let isCancelled = read.isCancelled.withLock { $0 }
      guard isCancelled || read.deadline <= start else { return true }
      read.finish(.failure(isCancelled ? CancellationError() : Self.tooLate))
      return false
    }
    guard !reads.isEmpty else { return }
    do {
      let results = try readBlocking(reads.map(\.query))
      waiting.withLock { $0.isSlow = clock() - start >= 100 }
      for (read, rows) in zip(reads, results) { read.finish(.success(rows)) }
    } catch {
      waiting.withLock { $0.isSlow = true }
      guard reads.count > 1 else { return reads.forEach { $0.finish(.failure(error)) } }
      // One of them has failed, and the server has passed over the rest.
      for read in reads {
        read.finish(Result { try readBlocking([read.query]).first ?? Rows(values: [], columns: ColumnNames([])) })
      }
    }
  }
}
