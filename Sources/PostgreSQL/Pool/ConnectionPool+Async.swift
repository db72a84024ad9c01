import SQL

/// For tasks of the pool's thread.
extension ConnectionPool {
  /// Runs queries that change nothing.
  func read(_ queries: [Query]) async throws -> [Rows] {
    try await withUnsafeThrowingContinuation { continuation in
      read(queries) { continuation.resume(with: $0) }
    }
  }

  /// Runs queries in one transaction, and returns after the commit.
  func write(_ queries: [Query]) async throws -> [Rows] {
    try await withUnsafeThrowingContinuation { continuation in
      write(queries) { continuation.resume(with: $0) }
    }
  }

  /// Returns after so many milliseconds, or when the pool is closed.
  func wait(milliseconds: Int64) async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      wait(milliseconds: milliseconds) { continuation.resume() }
    }
  }
}
