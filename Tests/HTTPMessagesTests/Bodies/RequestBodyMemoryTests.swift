import HTTPMessages
import Platform
import Synchronization
import Testing

@Suite struct RequestBodyMemoryTests {
  private let budget = MemoryBudget(limit: 1 << 20)

  /// A body in pieces of one size.
  private final class Pieces: RequestBody.Source {
    private let left: Mutex<Int>
    private let size: Int
    /// Called before each piece.
    private let observe: @Sendable () -> Void

    init(_ count: Int, of size: Int, observe: @escaping @Sendable () -> Void = {}) {
      left = Mutex(count)
      self.size = size
      self.observe = observe
    }

    func next() async throws(BodyError) -> [UInt8]? {
      observe()
      return left.withLock { left in
        guard left > 0 else { return nil }
        left -= 1
        return [UInt8](repeating: 7, count: size)
      }
    }
  }

  @Test func `a body in memory is counted until nobody refers to the request any more`() async throws {
    do {
      let body = RequestBody(length: 100_000, source: Pieces(10, of: 10_000), memory: RequestMemory(of: budget))
      #expect(try await body.collect(upTo: 1 << 20).count == 100_000)
      #expect(budget.usedBytes == 100_000)
      #expect(body.memory?.isCollected == true)
      withExtendedLifetime(body) {}
    }
    #expect(budget.usedBytes == 0)
  }

  @Test(arguments: [900_000, nil])
  func `a client that announces much and sends little takes little`(_ length: Int?) async throws {
    let body = RequestBody(
      length: length, source: Pieces(3, of: 1000) { [budget] in #expect(budget.usedBytes <= 6_000) },
      memory: RequestMemory(of: budget))
    #expect(try await body.collect(upTo: 1 << 20).count == 3000)
  }

  @Test func `a long body has pages of its own, so that it leaves no gap in the heap`() async throws {
    let body = RequestBody(length: 300_000, source: Pieces(30, of: 10_000))
    let bytes = try await body.collect(upTo: 1 << 20)
    #expect(bytes.count == 300_000)
    #expect(bytes.capacity >= largeAllocationBytes)
  }

  @Test(arguments: [900_000, nil])
  func `a body for which there is no memory is not collected`(_ length: Int?) async throws {
    let other = MemoryReservation(of: budget)
    #expect(other.resize(to: 500_000))
    let body = RequestBody(length: length, source: Pieces(90, of: 10_000), memory: RequestMemory(of: budget))
    await #expect(throws: BodyError.outOfMemory) { try await body.collect(upTo: 1 << 20) }
    #expect(budget.usedBytes <= 917_504)
  }
}
