import Platform

/// Runs asynchronous work in a command, which is synchronous.
package enum Blocking {
  /// Blocks this thread, which must not be one of Swift's own, until `body` ends.
  package static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Monitor<Result<Value, any Error>?>(nil)
    let work = Task { try await body() }
    Task {
      let result = await work.result
      outcome.withLock { $0 = result }
      outcome.notifyAll()
    }
    return try outcome.wait { $0 }.get()
  }
}
