extension ConnectionPool {
  /// Runs a query that changes nothing. For tasks of the loop's thread.
  public func read(_ sql: StaticString, _ values: Value...) async throws -> Rows {
    try await withUnsafeThrowingContinuation { continuation in
      read(Query(sql, values: values)) { continuation.resume(with: $0) }
    }
  }

  /// Runs queries in one transaction, and returns after the commit. For tasks of the loop's thread.
  public func write(_ queries: Query...) async throws -> [Rows] {
    try await withUnsafeThrowingContinuation { continuation in
      write(queries) { continuation.resume(with: $0) }
    }
  }
}
