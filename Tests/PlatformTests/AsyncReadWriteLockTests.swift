import Platform
import Testing

@Suite(.timeLimit(.minutes(5))) struct AsyncReadWriteLockTests {
  /// How many tasks have the lock, and how many ever had it together.
  private struct Holders: Sendable {
    var shared = 0
    var exclusive = 0
    var maxShared = 0
    var conflicts = 0
  }

  @Test func `tasks share it, and one that has it exclusively has it alone`() async throws {
    let lock = AsyncReadWriteLock()
    let holders = Monitor(Holders())
    await withTaskGroup { group in
      for number in 0..<400 {
        group.addTask {
          if number % 10 == 3 {
            await lock.withExclusive {
              holders.withLock {
                $0.exclusive += 1
                if $0.exclusive > 1 || $0.shared > 0 { $0.conflicts += 1 }
              }
              for _ in 0..<5 { await Task.yield() }
              holders.withLock { $0.exclusive -= 1 }
            }
          } else {
            await lock.withShared {
              holders.withLock {
                $0.shared += 1
                $0.maxShared = max($0.maxShared, $0.shared)
                if $0.exclusive > 0 { $0.conflicts += 1 }
              }
              for _ in 0..<5 { await Task.yield() }
              holders.withLock { $0.shared -= 1 }
            }
          }
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
