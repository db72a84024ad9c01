import Platform

/// Runs asynchronous work in a command, which is synchronous.
enum Blocking {
  /// Blocks this thread, which must not be one of Swift's own, until `body` ends.
  static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let outcome = Monitor<Result<Value, any Error>?>(nil)
    let end = Semaphore()
    Task {
      do {
        let value = try await body()
        outcome.withLock { $0 = .success(value) }
      } catch {
        outcome.withLock { $0 = .failure(error) }
      }
      end.signal()
    }
    end.wait()
    guard let outcome = outcome.withLock({ $0 }) else { fatalError("the task has ended without an outcome") }
    return try outcome.get()
  }
}
