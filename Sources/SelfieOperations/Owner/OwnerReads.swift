import HTTPMessages
import Platform
import SQL
import SelfieAPI

// Many rows take a while to read, which must hold up no event loop.
extension Application {
  /// All rows of a query.
  func all<Record: RowRecord & Sendable>(_ query: Query, as _: Record.Type = Record.self) async throws -> [Record] {
    try await database.all(query, by: lists)
  }

  /// The first column of the first row of a query; 0 if there is none.
  func number(_ query: Query) async throws -> Int64 {
    try await all(query, as: Int64.self).first ?? 0
  }
}

extension OwnerConsole {
  /// A list as an array of JSON objects.
  ///
  /// - Parameters:
  ///   - rows: the query for the first `limit` elements.
  ///   - total: counts all elements.
  ///   - write: writes the members of an object.
  func list<Record: RowRecord & Sendable>(
    _ limit: Int64, _ rows: Query, total: Query, of _: Record.Type,
    _ write: @escaping @Sendable (inout JSONWriter, Record) -> Void
  ) async throws -> OwnerReply {
    guard OwnerCommand.limits.contains(limit) else {
      throw APIError(.badRequest, "The limit must be from 1 to \(OwnerCommand.limits.upperBound).")
    }
    let records: [Record] = try await application.all(rows)
    let count = try await application.number(total)
    return try await application.lists.run {
      var json = JSONWriter(capacity: 4096)
      json.array(of: records) { json, record in json.object { write(&$0, record) } }
      return OwnerReply(json.bytes, total: count)
    }
  }

  /// The user of this address; nil for none.
  ///
  /// - Throws: 404 if there is no such user.
  @discardableResult
  func requireUser(_ email: String?) async throws -> User? {
    guard let email else { return nil }
    return try await found(application.users.find(email: email), email)
  }
}
