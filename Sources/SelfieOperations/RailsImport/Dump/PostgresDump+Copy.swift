extension PostgresDump {
  /// Reads `COPY table (column, …) FROM stdin;` and the lines that follow, up to `\.`.
  mutating func readCopy(_ body: (DumpRow) throws -> Void) throws {
    let line = scanner.tokenLine
    let first = try scanner.next()
    // COPY (query) TO … has no rows here.
    guard first != .open else { return try scanner.skipToSemicolon() }
    let table = try tableName(first)
    let isWanted = isWanted(table)
    var columns = columns[table]
    do {
      if try scanner.next() == .open {
        columns = try TableColumns(scanner.columnNames(), line: line)
      } else {
        scanner.goBack()
      }
    } catch let problem as DumpProblem {
      try recover(from: problem)
      try scanner.skipToSemicolon()
      return try skipCopy(of: table, line: line)
    }
    guard try scanner.next() == .word("from"), try scanner.next() == .word("stdin") else {
      if isWanted { add(DumpProblem(line: line, "The rows of \(table) are not in this dump.")) }
      return try scanner.skipToSemicolon()
    }
    let hasOptions = try scanner.next() != .semicolon
    try scanner.skipToSemicolon()

    guard isWanted else { return try skipCopy(of: table, line: line) }
    guard let columns, !hasOptions else {
      add(
        DumpProblem(
          line: line,
          hasOptions ? "Only COPY's text format is understood." : "Neither COPY nor CREATE TABLE names the columns."))
      return try skipCopy(of: table, line: line)
    }
    while let row = try scanner.nextLine() {
      let text = Self.withoutCarriageReturn(row.bytes)
      if text == Self.endOfData { return }
      do {
        guard !row.isCut else {
          throw DumpProblem(line: scanner.lineNumber, "This row has more than \(DumpLines.maxBytes) bytes.")
        }
        let values = try CopyText.values(text, line: scanner.lineNumber)
        try body(DumpRow(table: table, line: scanner.lineNumber, columns: columns, values: values))
      } catch let problem as DumpProblem {
        try recover(from: problem)
      }
    }
    throw Self.unendedCopy(line)
  }

  private mutating func skipCopy(of table: String, line: Int) throws {
    var rows = 0
    while let row = try scanner.nextLine() {
      if Self.withoutCarriageReturn(row.bytes) == Self.endOfData { return skip(rows: rows, of: table) }
      rows += 1
    }
    throw Self.unendedCopy(line)
  }

  private static let endOfData = Array("\\.".utf8)[...]

  private static func unendedCopy(_ line: Int) -> DumpProblem {
    DumpProblem(line: line, "The rows of the COPY that begins here do not end with \\.", endsReading: true)
  }

  /// Drops a carriage return at the end, which Windows added. One in a value is written `\r`.
  private static func withoutCarriageReturn(_ line: [UInt8]) -> ArraySlice<UInt8> {
    line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
  }
}

/// A line of COPY's text format (PostgreSQL's documentation, "COPY", "Text Format").
enum CopyText {
  /// The values, which tabs separate; nil for `\N`.
  static func values(_ row: ArraySlice<UInt8>, line: Int) throws(DumpProblem) -> [[UInt8]?] {
    var values: [[UInt8]?] = []
    for field in row.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false) {
      guard values.count < PostgresDump.maxColumns else {
        throw DumpProblem(line: line, "This row has more than \(PostgresDump.maxColumns) values.")
      }
      values.append(field.elementsEqual([UInt8(ascii: "\\"), UInt8(ascii: "N")]) ? nil : try value(field, line: line))
    }
    return values
  }

  private static func value(_ field: ArraySlice<UInt8>, line: Int) throws(DumpProblem) -> [UInt8] {
    let text = Array(field)
    var value: [UInt8] = []
    value.reserveCapacity(text.count)
    var index = 0
    while index < text.count {
      guard text[index] == UInt8(ascii: "\\") else {
        value.append(text[index])
        index += 1
        continue
      }
      let end = BackslashEscape.end(of: text, from: index + 1)
      guard index + 1 < end, let escape = BackslashEscape(text[(index + 1)..<end]) else {
        throw DumpProblem(line: line, "A value ends in the middle of an escape.")
      }
      value.append(escape.byte)
      index = end
    }
    return value
  }
}
