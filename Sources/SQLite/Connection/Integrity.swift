import CSQLite

extension Connection {
  /// The problems that `PRAGMA integrity_check` finds, in SQLite's words and at most a hundred of them. Reads the whole
  /// file.
  public func integrityProblems() throws -> [String] {
    try problems { problems in
      try forEach("PRAGMA integrity_check(100)") { row in
        if let text = row.text(0), text != "ok" { problems.append(text) }
        return true
      }
    }
  }

  /// The rows whose foreign key points to no row, at most a hundred of them.
  public func foreignKeyProblems() throws -> [String] {
    try problems { problems in
      try forEach("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 100") { row in
        // A table WITHOUT ROWID has no numbers for its rows.
        let name = row.isNull(1) ? "a row" : "row \(row.integer(1))"
        problems.append(
          "\(name) of \(row.text(0) ?? "") belongs to a row of \(row.text(2) ?? "") that is not there")
        return true
      }
    }
  }

  /// The problems that `look` collects, and at the end the damage that stopped it, if any did.
  private func problems(_ look: (inout [String]) throws -> Void) throws -> [String] {
    var problems: [String] = []
    do {
      try look(&problems)
    } catch let error as SQLiteError where error.primaryCode == SQLITE_CORRUPT {
      problems.append(error.message)
    }
    return problems
  }
}
