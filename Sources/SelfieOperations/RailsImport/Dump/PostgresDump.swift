/// A plain dump of pg_dump's, with its rows as COPY or as INSERT, read as a stream.
///
/// Only the rows of the wanted tables are looked at. What else is in a dump (other tables, functions, comments, what
/// psql is told to do) is passed over.
struct PostgresDump {
  /// Columns that a table of PostgreSQL can have (its documentation, "PostgreSQL Limits").
  static let maxColumns = 1600

  /// The names of the tables, in the schema `public`, whose rows are wanted.
  let wanted: Set<String>
  private(set) var problems = DumpProblems()
  /// The wanted tables of which the dump speaks at all.
  private(set) var found: Set<String> = []
  private(set) var skipped = SkippedTables()

  var scanner: SQLScanner
  /// The columns in the order of CREATE TABLE.
  var columns: [String: TableColumns] = [:]
  /// Where names without a schema are: dumps made before 2018 rely on it.
  private var schema = "public"

  /// - Parameter read: the next bytes of the dump; none at the end.
  init(wanted: Set<String>, read: @escaping () throws -> [UInt8]) {
    self.wanted = wanted
    scanner = SQLScanner(DumpLines(read: read))
  }

  /// Shows each row of the wanted tables. Afterwards `problems` says whether it was all of them.
  ///
  /// - Parameter body: may throw a `DumpProblem`, which is added to the others.
  /// - Throws: what `read` throws.
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

  /// Notes a problem; throws it if nothing can be read after it.
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
      // SQL_ASCII is any: whether a text is UTF-8 is seen when it is read.
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

  /// The name of a table, from its first token on, less its schema if that is `public`.
  mutating func tableName(_ first: SQLScanner.Token?) throws -> String {
    let parts = try scanner.qualifiedName(first)
    guard let name = parts.last else { return "" }
    let schema = parts.count > 1 ? parts[parts.count - 2] : schema
    // An empty search path belongs to a dump that writes schemas everywhere.
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
