import SQL
import SQLite

extension Connection {
  /// Runs a write in the transaction that is open. The file has one writer, so nothing is to be locked.
  @discardableResult
  package func run(_ write: Write) throws(SQLiteError) -> Written {
    var decisive: Rows?
    if let query = write.decisive {
      let found = try rows(query)
      guard !found.isEmpty else {
        guard let reason = write.reason else { return Written(decisive: found) }
        return Written(decisive: found, reason: try rows(reason).first)
      }
      decisive = found
    }
    var others: [Rows] = []
    others.reserveCapacity(write.others.count)
    for query in write.others { others.append(try rows(query)) }
    return Written(decisive: decisive, others: others)
  }
}
