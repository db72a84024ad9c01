import Testing
import Platform

@testable import SelfieAPI
@testable import SelfieControl

/// The gate between changes and replacements.
@Suite(.timeLimit(.minutes(10))) struct ReplacementGateTests {
  /// Who is inside, and who ever was.
  private struct Inside: Sendable {
    var beside = 0
    var alone = 0
    var mostBeside = 0
    var conflicts = 0
  }

  @Test func `whoever replaces is alone, and others are beside each other`() async throws {
    let gate = ReplacementGate()
    let inside = Monitor(Inside())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<400 {
        group.addTask {
          if number % 10 == 3 {
            try await gate.alone(replaces: true) {
              inside.withLock {
                $0.alone += 1
                if $0.alone > 1 || $0.beside > 0 { $0.conflicts += 1 }
              }
              for _ in 0..<5 { await Task.yield() }
              inside.withLock { $0.alone -= 1 }
            }
          } else {
            try await gate.beside {
              inside.withLock {
                $0.beside += 1
                $0.mostBeside = max($0.mostBeside, $0.beside)
                if $0.alone > 0 { $0.conflicts += 1 }
              }
              for _ in 0..<5 { await Task.yield() }
              inside.withLock { $0.beside -= 1 }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let end = inside.withLock { $0 }
    #expect(end.conflicts == 0)
    #expect(end.mostBeside > 1)
    #expect(gate.generation == 40)
  }

  @Test func `what counts on what is gone is refused, also after an error`() async throws {
    let gate = ReplacementGate()
    let generation = gate.generation
    #expect(try await gate.beside(since: generation) { true })
    try await gate.alone(replaces: false) {}
    #expect(try await gate.beside(since: generation) { true })
    await #expect(throws: StateError.self) {
      try await gate.alone(replaces: true) { throw StateError(.invalid, "") }
    }
    await #expect(throws: StorageReplaced.self) { try await gate.beside(since: generation) {} }
    #expect(try await gate.beside { true })
  }
}
