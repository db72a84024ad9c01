import SQL
import SQLite

/// The rows of a list that may be long: from a file they are read while they are written into the list, by the thread
/// that does so; from a shared database they were fetched before, since a worker cannot wait for it.
package enum ListSource: Sendable {
  case file(Database, Query)
  case fetched(Rows)
}

extension ListSource {
  /// Nil if they are in a file.
  var fetched: Rows? { if case .fetched(let rows) = self { rows } else { nil } }

  package func forEach<Record: RowRecord>(_: Record.Type, _ body: (Record) throws -> Void) throws {
    switch self {
    case .file(let file, let query): try file.read { try $0.forEach(query) { try body(Record($0, from: 0)) } }
    case .fetched(let rows): for row in rows { try body(Record(row, from: 0)) }
    }
  }
}

extension ApplicationDatabase {
  /// The rows of a query, for a list.
  package func list(_ query: Query) async throws -> ListSource {
    switch self {
    case .file(let file): .file(file, query)
    case .shared(let shared): .fetched(try await shared.rows(query))
    }
  }
}
