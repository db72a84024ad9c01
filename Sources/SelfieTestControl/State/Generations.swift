import HTTPMessages
import Platform

/// The data of a world between two resets, as requests see it. `StoredState` resets the data.
///
/// A request belongs to the generation in which its head was read. If that ends while the request waits for its body, the
/// rest is not read: an upload of one test must store nothing among the data of the next.
package final class Generations: Sendable {
  private struct State {
    /// Of the current generation.
    var number = 0
    var active = 0
    /// The active requests of earlier generations.
    var ending = 0
    /// Those that wait for their bodies, of any generation, are not active.
    var waiting = 0

    mutating func leave(_ number: Int) {
      if number == self.number { active -= 1 } else { ending -= 1 }
    }
  }

  /// How long a request may hold up the end of its data. Requests that take longer fail with 500.
  private static let timeout = Duration.seconds(10)

  private let state = Monitor(State())

  /// How many requests wait for their bodies.
  var waitingCount: Int { state.withLock { $0.waiting } }

  /// Ends the current generation, and returns when no request of it is active, or after a timeout.
  func next() async {
    state.withLock { state in
      state.number += 1
      state.ending += state.active
      state.active = 0
    }
    await Self.wait { [state] in state.withLock { $0.ending == 0 } }
  }

  /// Returns when the condition is met, or after a timeout.
  static func wait(until isMet: @escaping @Sendable () -> Bool) async {
    // In a task of its own, which is not cancelled when the client disconnects.
    await Task {
      let deadline = ContinuousClock.now + timeout
      while !isMet(), ContinuousClock.now < deadline { try? await Task.sleep(for: .milliseconds(1)) }
    }.value
  }

  /// Runs `handle` with a request of the current generation.
  ///
  /// - Returns: nil if the generation ended before the body had arrived.
  func run<Result>(_ request: Request, by handle: (Request) async -> Result) async -> Result? {
    let number = state.withLock { state in
      state.active += 1
      return state.number
    }
    let isLate = Monitor(false)
    let result = await handle(
      request.withBody { [state] () async throws(BodyError) -> [UInt8]? in
        guard !isLate.withLock(\.self) else { throw .disconnected }
        state.withLock { state in
          state.leave(number)
          state.waiting += 1
        }
        let next: Swift.Result<[UInt8]?, BodyError>
        do throws(BodyError) { next = .success(try await request.body.next()) } catch { next = .failure(error) }
        let isCurrent = state.withLock { state in
          guard number == state.number else { return false }
          state.waiting -= 1
          state.active += 1
          return true
        }
        guard isCurrent else {
          isLate.withLock { $0 = true }
          throw .disconnected
        }
        return try next.get()
      })
    let wasLate = isLate.withLock(\.self)
    state.withLock { if wasLate { $0.waiting -= 1 } else { $0.leave(number) } }
    return wasLate ? nil : result
  }
}
