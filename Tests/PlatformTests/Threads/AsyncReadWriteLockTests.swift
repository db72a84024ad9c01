import Platform
import Testing

@Suite(.timeLimit(.minutes(5))) struct AsyncReadWriteLockTests {
  /// The tasks that have the lock.
  private struct Holders {
    private var shared = 0
    private var exclusive = 0
    /// How many ever had it together.
    private(set) var maxShared = 0
    /// How often one got it that should have waited.
    private(set) var conflicts = 0

    mutating func begin(isExclusive: Bool) {
      if exclusive > 0 || isExclusive && shared > 0 { conflicts += 1 }
      if isExclusive { exclusive += 1 } else { shared += 1 }
      maxShared = max(maxShared, shared)
    }

    mutating func end(isExclusive: Bool) {
      if isExclusive { exclusive -= 1 } else { shared -= 1 }
    }
  }

  @Test func `tasks share it, and one that has it exclusively has it alone`() async throws {
    let lock = AsyncReadWriteLock()
    let holders = Monitor(Holders())
    await withTaskGroup { group in
      for number in 0..<400 {
        group.addTask {
          let isExclusive = number % 10 == 3
          let body = { @Sendable in
            holders.withLock { $0.begin(isExclusive: isExclusive) }
            for _ in 0..<5 { await Task.yield() }
            holders.withLock { $0.end(isExclusive: isExclusive) }
          }
          if isExclusive { await lock.withExclusive(body) } else { await lock.withShared(body) }
        }
      }
    }
    let end = holders.withLock { $0 }
    #expect(end.conflicts == 0)
    #expect(end.maxShared > 1)
  }

  @Test func `an error releases it`() async throws {
    let lock = AsyncReadWriteLock()
    await #expect(throws: CancellationError.self) { try await lock.withExclusive { throw CancellationError() } }
    await #expect(throws: CancellationError.self) { try await lock.withShared { throw CancellationError() } }
    #expect(await lock.withExclusive { true })
  }
}
