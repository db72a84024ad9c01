import HTTPMessages
import Platform

/// Makes long lists on a worker pool.
///
/// While a list is made, all further requests for it wait and share the next one, so that a client that asks a hundred
/// times at once costs the work of two lists. A request never shares a list that was begun before it, so it is shown all
/// that had been committed.
final class LongLists: Sendable {
  private typealias Making = @Sendable () throws -> LongList

  private struct Waiting {
    let continuation: UnsafeContinuation<LongList, any Error>
    let isCancelled: Monitor<Bool>
  }

  private struct Entry {
    let make: Making
    var waiting: [Waiting]
  }

  private let pool: WorkerPool
  private let inFlight: ListsInFlight
  private let fetches = SingleFlight()
  /// A list has an entry from the first request until nobody waits for it.
  private let entries = Monitor<[LongList.Key: Entry]>([:])

  init(pool: WorkerPool, memory: MemoryBudget) {
    self.pool = pool
    inFlight = ListsInFlight(memory: memory)
  }

  /// The list that `write` writes. It is not made if all clients that wait for it have gone.
  ///
  /// - Throws: `WorkerPoolFull`, `MemoryExhausted`, `CancellationError`, or the error of `write`.
  func list(
    _ key: LongList.Key, _ write: @escaping @Sendable (inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> LongList {
    let isCancelled = Monitor(false)
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        add(Waiting(continuation: continuation, isCancelled: isCancelled), to: key) { [inFlight] in
          try inFlight.list(of: key.owner, write)
        }
      }
    } onCancel: {
      isCancelled.withLock { $0 = true }
    }
  }

  /// The same of rows that are fetched first, since a worker cannot wait for a shared database. A short list is made by
  /// the caller.
  func list(
    _ key: LongList.Key, from fetch: () async throws -> ListSource,
    _ write: @escaping @Sendable (ListSource, inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> LongList {
    try await fetches.run(key) {
      let source = try await fetch()
      let (count, byteCount) = (source.fetched?.count ?? 0, source.fetched?.byteCount ?? 0)
      let rows = inFlight.reservation()
      try rows.resize(to: byteCount)
      defer { withExtendedLifetime(rows) {} }
      let make = { @Sendable [inFlight] () throws -> LongList in
        try inFlight.list(of: key.owner) { try write(source, &$0, &$1) }
      }
      if count <= Self.maxRowsOnEventLoop && byteCount <= Self.maxRowBytesOnEventLoop { return try make() }
      return try await pool.runUnlessCancelled(make)
    }
  }

  private static let maxRowsOnEventLoop = 200
  private static let maxRowBytesOnEventLoop = 16 * 1024

  /// Reserves memory for a list that the caller makes.
  func reservation() -> MemoryReservation { inFlight.reservation() }

  private func add(_ waiting: Waiting, to key: LongList.Key, _ make: @escaping Making) {
    let isFirst = entries.withLock { entries in
      let isFirst = entries[key] == nil
      entries[key, default: Entry(make: make, waiting: [])].waiting.append(waiting)
      return isFirst
    }
    if isFirst { submit(key) }
  }

  private func submit(_ key: LongList.Key) {
    if pool.submit({ self.run(key) }) { return }
    let entry = entries.withLock { $0.removeValue(forKey: key) }
    for waiting in entry?.waiting ?? [] { waiting.continuation.resume(throwing: WorkerPoolFull()) }
  }

  private func run(_ key: LongList.Key) {
    let entry = entries.withLock { entries in
      defer { entries[key]?.waiting = [] }
      return entries[key]
    }
    guard let entry else { return }
    let isWanted = entry.waiting.contains { waiting in !waiting.isCancelled.withLock { $0 } }
    let result = Result { if isWanted { try entry.make() } else { throw CancellationError() } }
    for waiting in entry.waiting { waiting.continuation.resume(with: result) }

    let isAwaited = entries.withLock { entries in
      if entries[key]?.waiting.isEmpty ?? true { entries[key] = nil }
      return entries[key] != nil
    }
    if isAwaited { submit(key) }
  }
}
