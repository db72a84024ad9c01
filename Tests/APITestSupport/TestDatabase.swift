import SQL
import SQLite
import SelfieAPI

/// Where the rows of a test's application are to be.
package enum TestDatabase {
  /// Nil for a file.
  @TaskLocal package static var shared: (any SharedDatabase)?
}

extension ApplicationDatabase {
  /// The rows of a query.
  package func rows(_ query: Query) async throws -> Rows {
    switch self {
    case .file(let file): try file.read { try $0.rows(query) }
    case .shared(let shared): try await shared.read(query)
    }
  }

  /// The number that a query has; 0 for none.
  package func number(_ query: Query) async throws -> Int64 {
    try await rows(query).first?.integer(0) ?? 0
  }

  /// Runs statements in one transaction.
  package func run(_ queries: [Query]) async throws {
    try await write(about: .all) { tx in for query in queries { try tx.run(query) } }
  }
}
