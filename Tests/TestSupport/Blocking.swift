import Platform

/// Threads for calls that block, such as those on test clients' sockets and stopping a server. Swift's own threads
/// must not wait, since the tests themselves run on them.
package enum Blocking {
  private static let pool = WorkerPool(name: "test-client", threads: 64, waiting: 100_000)

  package static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await pool.run(work)
  }
}
