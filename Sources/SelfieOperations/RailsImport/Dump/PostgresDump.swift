/// Reads a plain dump of pg_dump as a stream, whether its rows are in COPY or in INSERT.
///
/// It reads the rows of the wanted tables only, and skips everything else: other tables, functions, comments, and
/// commands of psql.
struct PostgresDump {
  /// The limit of PostgreSQL itself (its documentation, "PostgreSQL Limits").
  static let maxColumns = 1600

  /// The names of the tables, in the schema `public`, whose rows are wanted.
  let wanted: Set<String>
  private(set) var problems = DumpProblems()
  /// The wanted tables that the dump mentions.
  private(set) var found: Set<String> = []
  private(set) var skipped = SkippedTables()

  var scanner: SQLScanner
  /// The columns in the order of CREATE TABLE.
  var columns: [String: TableColumns] = [:]
  /// The schema of names that have none. Dumps from before 2018 rely on it.
  private var schema = "public"

  /// - Parameter read: returns the next bytes of the dump; none at the end.
  init(wanted: Set<String>, read: @escaping () throws -> [UInt8]) {
    self.wanted = wanted
    scanner = SQLScanner(DumpLines(read: read))
  }

  /// Calls `body` for each row of the wanted tables. If there are `problems` afterwards, some rows are missing.
  ///
  /// - Parameter body: may throw a `DumpProblem`, which is added to `problems`. - Throws: the errors of `read`.
  mutating func forEachRow(_ body: (DumpRow) throws -> Void) throws {
    do {
      while try scanner.findStatement() { try readStatement(body) }
      if scanner.completedDumps < scanner.begunDumps {
        add(DumpProblem(line: scanner.lineNumber, "The dump is cut off: pg_dump's last line is missing."))
      }
    } catch let problem as DumpProblem {
      add(problem)
    }
  }

  mutating func add(_ problem: DumpProblem) {
    problems.add(problem)
  }

  /// Adds a problem, and throws it if it ends the reading.
  mutating func recover(from problem: DumpProblem) throws {
    guard !problem.endsReading else { throw problem }
    add(problem)
  }

  // MARK: - Statements

  private mutating func readStatement(_ body: (DumpRow) throws -> Void) throws {
    do {
      switch try scanner.next() {
      case .word("copy"): try readCopy(body)
      case .word("insert"): try readInsert(body)
      case .word("create"): try readCreate()
      case .word("set"): try readSet()
      case .semicolon?: break
      default: try scanner.skipStatement()
      }
    } catch let problem as DumpProblem {
      try recover(from: problem)
      try scanner.skipToSemicolon()
    }
  }

  private mutating func readCreate() throws {
    var kind = try scanner.next()
    for word in ["or", "replace", "global", "local", "temporary", "temp", "unlogged", "foreign"] {
      if kind == .word(word) { kind = try scanner.next() }
    }
    switch kind {
    case .word("table"):
      try readCreateTable()
    case .word("function"), .word("procedure"):
      try scanner.skipStatement(mayHaveBody: true)
    case .semicolon?: break
    default: try scanner.skipStatement()
    }
  }

  private mutating func readCreateTable() throws {
    let line = scanner.tokenLine
    var name = try scanner.next()
    if name == .word("if") {
      // IF NOT EXISTS
      _ = try scanner.next()
      _ = try scanner.next()
      name = try scanner.next()
    }
    let table = try tableName(name)
    guard isWanted(table) else { return try scanner.skipStatement() }
    guard columns[table] == nil else {
      throw DumpProblem(line: line, "Another table \(table): a dump of one database only is needed.")
    }
    guard try scanner.next() == .open else { return try scanner.skipStatement() }
    columns[table] = try TableColumns(scanner.columnDefinitions(), line: line)
    try scanner.skipStatement()
  }

  private mutating func readSet() throws {
    let line = scanner.tokenLine
    guard case .word(let name)? = try scanner.next() else { return try scanner.skipToSemicolon() }
    _ = try scanner.next()
    let value: String
    switch try scanner.next() {
    case .word(let text), .name(let text): value = text
    case .string(let bytes): value = String(decoding: bytes, as: UTF8.self)
    default: return try scanner.skipToSemicolon()
    }
    switch name {
    case "client_encoding":
      // SQL_ASCII may be any encoding. Each text is checked for UTF-8 when it is read.
      guard ["utf8", "utf-8", "unicode", "sql_ascii"].contains(value.lowercased()) else {
        throw DumpProblem(line: line, "The dump is in \(value). Make one with pg_dump --encoding=UTF8")
      }
    case "standard_conforming_strings": scanner.hasStandardStrings = value.lowercased() != "off"
    case "search_path": schema = value
    default: break
    }
    try scanner.skipToSemicolon()
  }

  // MARK: - Names

  /// The name of the table that begins with this token, without its schema if that is `public`.
  mutating func tableName(_ first: SQLScanner.Token?) throws -> String {
    let parts = try scanner.qualifiedName(first)
    guard let name = parts.last else { return "" }
    let schema = parts.count > 1 ? parts[parts.count - 2] : schema
    // The search path is empty in dumps that write the schema of every name.
    return schema == "public" || schema.isEmpty ? name : "\(schema).\(name)"
  }

  /// Whether the rows of a table are wanted.
  mutating func isWanted(_ table: String) -> Bool {
    guard wanted.contains(table) else { return false }
    found.insert(table)
    return true
  }

  mutating func skip(rows: Int, of table: String) {
    skipped.add(rows: rows, of: table)
  }
}
