import SQL

extension SharedDatabase {
  /// The rows of a query.
  package func rows(_ query: Query) async throws -> Rows {
    try await read([query]).first ?? .none
  }

  /// The first row of a query; nil if there is none.
  package func first<Record: RowRecord>(_ query: Query, as _: Record.Type = Record.self) async throws -> Record? {
    try await rows(query).first.map { Record($0, from: 0) }
  }

  /// Runs a write: its locks, its decisive statement, the others and the reason, in one transaction and one round trip.
  /// The locks come first, so that all that follows sees what their earlier holders have committed.
  ///
  /// - Throws: also `outcomeUnknown` where nothing was done, but an earlier attempt may have done it.
  @discardableResult
  package func run(_ write: Write) async throws -> Written {
    let locks = write.locks
    let decisive = [write.sharedDecisive ?? write.decisive].compactMap(\.self)
    let others = write.sharedThen ?? write.others
    let queries = locks + decisive + others + [write.reason].compactMap(\.self)
    let outcome = try await self.write(queries, write.evidence)
    if case .found(let rows) = outcome { return Written(decisive: rows) }
    var rest = outcome.rows.dropFirst(locks.count)
    let found = decisive.isEmpty ? nil : rest.popFirst()
    guard found?.isEmpty == true else { return Written(decisive: found, others: Array(rest.prefix(others.count))) }
    if case .repeated = outcome {
      throw SharedDatabaseError(.outcomeUnknown, "the first attempt was lost, and may have left nothing to be done")
    }
    return Written(decisive: found, reason: write.reason == nil ? nil : rest.last?.first)
  }
}

extension Rows {
  /// No rows.
  static var none: Rows { Rows(values: [], columns: 0, changes: 0) }
}
