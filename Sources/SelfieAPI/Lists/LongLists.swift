import HTTPMessages
import Platform

/// Makes long lists on a worker pool, once for all who ask for the same list at the same time (``SingleFlight``).
final class LongLists: Sendable {
  private let pool: WorkerPool
  private let inFlight: ListsInFlight
  let flights = SingleFlight()
  let fetches = ListFetches()

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
    try await flights.run(key) { begin in
      try await pool.run { [inFlight] in
        guard begin() else { throw CancellationError() }
        return try inFlight.list(of: key.owner, write)
      }
    }
  }

  /// The same of rows that are fetched first, since a worker cannot wait for a shared database. A short list is made by
  /// the caller.
  func list(
    _ key: LongList.Key, from fetch: () async throws -> ListSource,
    _ write: @escaping @Sendable (ListSource, inout JSONWriter, inout ListMemory) throws -> Void
  ) async throws -> LongList {
    try await flights.run(key) { begin in
      let rows = inFlight.reservation()
      defer { withExtendedLifetime(rows) {} }
      let (source, byteCount) = try await fetches.run {
        guard begin() else { throw CancellationError() }
        let source = try await fetch()
        let byteCount = source.fetched?.byteCount ?? 0
        try rows.resize(to: byteCount + (source.fetched?.bookkeepingBytes ?? 0))
        return (source, byteCount)
      }
      let count = source.fetched?.count ?? 0
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
}
