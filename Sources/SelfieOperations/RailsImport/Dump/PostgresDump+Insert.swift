extension PostgresDump {
  /// Reads `INSERT INTO table (column, …) VALUES (value, …), …;`, which pg_dump writes with `--inserts`,
  /// `--column-inserts`, `--rows-per-insert` or `--on-conflict-do-nothing`.
  mutating func readInsert(_ body: (DumpRow) throws -> Void) throws {
    try scanner.expect(.word("into"), "INTO")
    let line = scanner.tokenLine
    let table = try tableName(scanner.next())
    guard isWanted(table) else { return try skipInsert(into: table) }
    var columns = columns[table]
    if try scanner.next() == .open {
      columns = try TableColumns(scanner.columnNames(), line: line)
    } else {
      scanner.goBack()
    }
    if try scanner.next() == .word("overriding") {
      // SYSTEM VALUE or USER VALUE
      _ = try scanner.next()
      _ = try scanner.next()
    } else {
      scanner.goBack()
    }
    try scanner.expect(.word("values"), "VALUES")
    guard let columns else {
      throw DumpProblem(line: line, "Neither INSERT nor a CREATE TABLE before it names the columns.")
    }
    repeat {
      try scanner.expect(.open, "A parenthesis")
      let line = scanner.tokenLine
      let values = try InsertValues.read(from: &scanner)
      do {
        try body(DumpRow(table: table, line: line, columns: columns, values: values))
      } catch let problem as DumpProblem {
        try recover(from: problem)
      }
    } while try scanner.next() == .comma
    switch scanner.lastToken {
    case .semicolon?: return
    case .word("on")?: try scanner.skipStatement()
    case nil: throw SQLScanner.unendedStatement(line: line)
    default: throw DumpProblem(line: scanner.tokenLine, "A comma or a semicolon was expected here.")
    }
  }

  /// Counts the outermost parentheses after VALUES, each of which is a row.
  private mutating func skipInsert(into table: String) throws {
    let start = scanner.tokenLine
    var rows = 0
    var parentheses = 0
    var isInValues = false
    while let token = try scanner.next(keepingText: false) {
      switch token {
      case .word("values"): isInValues = isInValues || parentheses == 0
      case .open:
        if isInValues && parentheses == 0 { rows += 1 }
        parentheses += 1
      case .close: parentheses = max(0, parentheses - 1)
      case .semicolon where parentheses == 0: return skip(rows: rows, of: table)
      default: break
      }
    }
    throw SQLScanner.unendedStatement(line: start)
  }
}

/// The values of a row of INSERT.
enum InsertValues {
  /// Reads the values up to the closing parenthesis; nil for NULL and DEFAULT.
  static func read(from scanner: inout SQLScanner) throws -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    var bytes = 0
    while values.count < PostgresDump.maxColumns {
      let value = try value(from: &scanner)
      values.append(value)
      bytes += value?.count ?? 0
      guard bytes <= DumpLines.maxBytes else {
        throw DumpProblem(
          line: scanner.tokenLine, "This row has more than \(DumpLines.maxBytes) bytes.", endsReading: true)
      }
      switch try scanner.next() {
      case .comma?: continue
      case .close?: return values
      default: throw DumpProblem(line: scanner.tokenLine, "A comma or a parenthesis was expected here.")
      }
    }
    throw DumpProblem(line: scanner.tokenLine, "This row has more than \(PostgresDump.maxColumns) values.")
  }

  private static func value(from scanner: inout SQLScanner) throws -> [UInt8]? {
    switch try scanner.next() {
    case .string(let text)?: return text
    case .number(let digits)?: return digits
    case .symbol(UInt8(ascii: "-"))?:
      if case .number(let digits)? = try scanner.next() { return [UInt8(ascii: "-")] + digits }
    case .word("null")?, .word("default")?: return nil
    case .word("true")?: return [UInt8(ascii: "t")]
    case .word("false")?: return [UInt8(ascii: "f")]
    default: break
    }
    throw DumpProblem(line: scanner.tokenLine, "A value was expected here.")
  }
}
