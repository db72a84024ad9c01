import HTTPMessages
import Platform
import Synchronization

/// What a world stores from one reset to the next, as requests see it.
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
  static let timeout = Duration.seconds(10)

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
    // In a task of its own, which is not cancelled when the client disconnects.
    await Task {
      let deadline = ContinuousClock.now + Self.timeout
      while state.withLock({ $0.ending > 0 }), ContinuousClock.now < deadline {
        try? await Task.sleep(for: .milliseconds(1))
      }
    }.value
  }

  /// Responds to a request of the current generation.
  ///
  /// - Returns: nil if the generation ended before the body had arrived.
  func respond(to request: Request, by respond: (Request) async -> Response) async -> Response? {
    let number = state.withLock { state in
      state.active += 1
      return state.number
    }
    let source = Source(request.body, number, state)
    let body =
      request.body.isEmpty
      ? request.body : RequestBody(length: request.body.length, source: source, memory: request.body.memory)
    let response = await respond(Request(head: request.head, body: body, peer: request.peer, context: request.context))
    let isLate = source.isLate.load(ordering: .relaxed)
    state.withLock { if isLate { $0.waiting -= 1 } else { $0.leave(number) } }
    return isLate ? nil : response
  }

  private final class Source: RequestBody.Source {
    /// Whether the generation ended while the request waited.
    let isLate = Atomic<Bool>(false)
    private let body: RequestBody
    private let number: Int
    private let state: Monitor<State>

    init(_ body: RequestBody, _ number: Int, _ state: Monitor<State>) {
      (self.body, self.number, self.state) = (body, number, state)
    }

    func next() async throws(BodyError) -> [UInt8]? {
      guard !isLate.load(ordering: .relaxed) else { throw .disconnected }
      state.withLock { state in
        state.leave(number)
        state.waiting += 1
      }
      let result: Result<[UInt8]?, BodyError>
      do { result = .success(try await body.next()) } catch { result = .failure(error) }
      let isCurrent = state.withLock { state in
        guard number == state.number else { return false }
        state.waiting -= 1
        state.active += 1
        return true
      }
      guard isCurrent else {
        isLate.store(true, ordering: .relaxed)
        throw .disconnected
      }
      return try result.get()
    }
  }
}
