import SQL

/// For tasks of the pool's thread.
extension ConnectionPool {
  /// Runs queries that change nothing.
  func read(_ queries: [Query]) async throws -> [Rows] {
    try await withUnsafeThrowingContinuation { continuation in
      read(queries) { continuation.resume(with: $0) }
    }
  }
}
