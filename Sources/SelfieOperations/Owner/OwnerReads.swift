import HTTPMessages
import SQL
import SelfieAPI

// Many rows take a while to read, which must hold up no event loop.
extension Application {
  /// The first row of a query.
  func first<Record: RowRecord & Sendable>(_ query: Query, as _: Record.Type = Record.self) async throws -> Record? {
    try await all(query, as: Record.self).first
  }

  /// All rows of a query.
  func all<Record: RowRecord & Sendable>(_ query: Query, as _: Record.Type = Record.self) async throws -> [Record] {
    try await database.all(query, by: lists)
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
