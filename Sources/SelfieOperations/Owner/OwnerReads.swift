import HTTPMessages
import SQL
import SQLite
import SelfieAPI

// Many rows take a while to read. Where they are in a file, a worker reads them, so that no event loop waits.
extension Application {
  /// The first row of a query.
  func first<Record: RowRecord & Sendable>(_ query: Query, as _: Record.Type = Record.self) async throws -> Record? {
    switch database {
    case .file(let file): try await onWorker { try file.read { try $0.first(query) { Record($0, from: 0) } } }
    case .shared(let shared): try await shared.first(query)
    }
  }

  /// All rows of a query.
  func all<Record: RowRecord & Sendable>(_ query: Query, as _: Record.Type = Record.self) async throws -> [Record] {
    switch database {
    case .file(let file): try await onWorker { try file.read { try $0.query(query) { Record($0, from: 0) } } }
    case .shared(let shared): try await shared.rows(query).map { Record($0, from: 0) }
    }
  }

  /// The first column of the first row of a query; 0 if there is none.
  func number(_ query: Query) async throws -> Int64 {
    try await first(query, as: NumberRow.self)?.value ?? 0
  }
}

extension OwnerInterface {
  /// A list as an array of JSON objects.
  ///
  /// - Parameters:
  ///   - total: counts what there is, of which `rows` may have only the first; nil where nobody needs to know.
  ///   - write: writes the members of an object.
  func list<Record: RowRecord & Sendable>(
    _ rows: Query, total: Query? = nil, of _: Record.Type,
    _ write: @escaping @Sendable (inout JSONWriter, Record) -> Void
  ) async throws -> Response {
    let records: [Record] = try await application.all(rows)
    let count: Int64? = if let total { try await application.number(total) } else { nil }
    return try await application.onWorker {
      var json = JSONWriter(capacity: 4096)
      json.array { json in
        for record in records { json.object { write(&$0, record) } }
      }
      return .owner(json.bytes, total: count)
    }
  }

  /// The user of this address.
  ///
  /// - Throws: 404 if there is none.
  @discardableResult
  func requireUser(_ email: String) async throws -> User {
    guard let user = try await application.users.find(email: email) else { throw Self.noUser(email) }
    return user
  }
}
