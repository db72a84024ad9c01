import SQL
import SQLite
import SelfieAPI

/// A database that a check reads, and repairs if asked to: a connection to a folder's, or a cluster's. `RowCheck` has
/// the rules of its rows.
protocol CheckedDatabase {
  func all<Record: RowRecord>(_ query: Query, as _: Record.Type) async throws -> [Record]

  /// Runs `body` in a transaction.
  func repair(about subject: WriteSubject, _ body: @escaping @Sendable (any Transaction) throws -> Void) async throws
}

extension CheckedDatabase {
  func number(_ query: Query) async throws -> Int64 { try await all(query, as: Int64.self).first ?? 0 }

  /// Reads a table a page at a time. Each page is a read of its own, so that a long check does not keep a server's log
  /// from being checkpointed.
  ///
  /// - Parameters:
  ///   - query: reads the rows after an id, in order, some hundred of them at most.
  ///   - id: the id of a row.
  func forEachPage<Record: RowRecord>(
    _ query: (Int64) -> Query, id: (Record) -> Int64, _ body: ([Record]) async throws -> Void
  ) async throws {
    var last = Int64.min
    while case let page = try await all(query(last), as: Record.self), let newest = page.last {
      // In a damaged file, a page may be in the place of another one, and what follows it would begin anew for ever.
      guard id(newest) > last || last == .min else { throw DatabaseError.outOfOrder }
      try await body(page)
      last = id(newest)
    }
  }
}

extension Connection: CheckedDatabase {
  func repair(about _: WriteSubject, _ body: @escaping @Sendable (any Transaction) throws -> Void) throws {
    try transaction { try body(self) }
  }
}

extension ApplicationDatabase: CheckedDatabase {
  func repair(about subject: WriteSubject, _ body: @escaping @Sendable (any Transaction) throws -> Void) async throws {
    try await write(about: subject, body)
  }
}
