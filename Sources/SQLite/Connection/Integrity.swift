import CSQLite
import SQL

// The checks that SQLite itself makes. `RowCheck` in SelfieOperations checks the values of rows.
extension Connection {
  /// The problems that `PRAGMA integrity_check` finds, in SQLite's words and at most a hundred of them. Reads the whole
  /// file.
  package func integrityProblems() throws -> [String] {
    readAhead()
    return try problems("PRAGMA integrity_check(100)") { row in row.text(0).flatMap { $0 == "ok" ? nil : $0 } }
  }

  /// The rows whose foreign key points to no row, at most a hundred of them.
  package func foreignKeyProblems() throws -> [String] {
    try problems("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check LIMIT 100") { row in
      // A table WITHOUT ROWID has no numbers for its rows.
      let rowID: Int64? = row["rowid"]
      let table: String = row["table"]
      let parent: String = row["parent"]
      return "\(rowID.map { "row \($0)" } ?? "a row") of \(table) belongs to a row of \(parent) that is not there"
    }
  }

  /// Reads the file once in order, so that its pages are in memory if there is room. The check asks for them in the order
  /// of the indexes: from a disk with three hundred reads a second, those of twelve gigabytes would take hours.
  ///
  /// Closing another descriptor of the file would end SQLite's locks, so this uses SQLite's own.
  private func readAhead() {
    guard let (file, methods) = try? file(SQLITE_FCNTL_FILE_POINTER) else { return }
    withUnsafeTemporaryAllocation(byteCount: Self.chunkBytes, alignment: 16) { chunk in
      var offset: Int64 = 0
      // The last read is short, which is an error.
      while methods.xRead(file, chunk.baseAddress, Int32(chunk.count), offset) == SQLITE_OK {
        offset += Int64(chunk.count)
      }
    }
  }

  /// The problems that the rows describe, and at the end the damage that stopped the query, if any did.
  private func problems(_ query: Query, _ problem: (borrowing Row) -> String?) throws -> [String] {
    var problems: [String] = []
    do {
      try forEach(query) { row in
        if let problem = problem(row) { problems.append(problem) }
        return true
      }
    } catch let error as SQLiteError where error.primaryCode == SQLITE_CORRUPT {
      problems.append(error.message)
    }
    return problems
  }
}
