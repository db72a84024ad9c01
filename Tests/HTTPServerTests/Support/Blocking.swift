import Platform

/// Threads for what blocks: sockets of test clients, and stopping a server. Swift's own threads
/// must not wait, since the tests themselves run on them.
enum Blocking {
  private static let pool = WorkerPool(name: "test-client", threads: 64, waiting: 100_000)

  static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await pool.run(work)
  }
}
