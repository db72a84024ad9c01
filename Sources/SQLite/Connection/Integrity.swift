import CSQLite

extension Connection {
  /// What `PRAGMA integrity_check` finds wrong with the file, in SQLite's words, a hundred of them at most; nothing if
  /// it is sound. Reads the whole file.
  public func integrityProblems() throws -> [String] {
    try problems { problems in
      try forEach("PRAGMA integrity_check(100)") { row in
        if let text = row.text(0), text != "ok" { problems.append(text) }
      }
    }
  }

  /// The rows whose foreign key points to no row, a hundred of them at most.
  public func foreignKeyProblems() throws -> [String] {
    try problems { problems in
      try forEach("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 100") { row in
        problems.append(
          "row \(row.integer(1)) of \(row.text(0) ?? "") belongs to a row of \(row.text(2) ?? "") that is not there")
      }
    }
  }

  /// What `look` gathers, and last of all that it could not go on for damage.
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
