import Platform
import Testing

@Suite(.timeLimit(.minutes(5))) struct AsyncReadWriteLockTests {
  @Test func `tasks share it, and one that has it exclusively has it alone`() async throws {
    let lock = AsyncReadWriteLock()
    // How many tasks have the lock, and how many ever had it together.
    let holders = Monitor((shared: 0, exclusive: 0, maxShared: 0, conflicts: 0))
    await withTaskGroup { group in
      for number in 0..<400 {
        group.addTask {
          let isExclusive = number % 10 == 3
          let body = { @Sendable in
            holders.withLock { holders in
              if holders.exclusive > 0 || isExclusive && holders.shared > 0 { holders.conflicts += 1 }
              if isExclusive { holders.exclusive += 1 } else { holders.shared += 1 }
              holders.maxShared = max(holders.maxShared, holders.shared)
            }
            for _ in 0..<5 { await Task.yield() }
            holders.withLock { if isExclusive { $0.exclusive -= 1 } else { $0.shared -= 1 } }
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
