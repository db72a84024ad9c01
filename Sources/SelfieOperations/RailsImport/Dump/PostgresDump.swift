/// Reads a plain dump of pg_dump as a stream. Its rows are those of COPY, which is pg_dump's default; everything else
/// in it is skipped: other tables, functions, comments, and commands of psql. RailsDump.swift knows the columns of the
/// original's tables.
struct PostgresDump {
  /// The limit for each table. The rows are held in memory and take some hundred bytes each.
  static let maxRows = 1_000_000
  /// A limit on the names of skipped tables, which are there for a person to read. Further names are dropped.
  private static let maxSkipped = 1000
  /// The limit of a line, which is a row of a table. The longest row of the original, seven texts of 255 characters, has
  /// fewer than ten thousand bytes.
  static let maxLineBytes = 1 << 20

  /// The names of the tables, in the schema `public`, whose rows are wanted.
  private let wanted: [String]
  private var lines: LineReader
  /// The number of the line that was read last. The first is 1.
  private var lineNumber = 0
  private(set) var problems = DumpProblems()
  /// The wanted tables that the dump has.
  private(set) var found: Set<String> = []
  /// The other tables and their numbers of rows, in the order of the dump.
  private(set) var skipped: [SkippedTable] = []

  /// The schema of names that have none. Dumps from before 2018 rely on it.
  private var schema = "public"
  /// The lines of the first INSERT into each wanted table.
  private var insertions: [String: Int] = [:]
  /// How many of pg_dump's first comments were read without its last one, which a dump that was cut off lacks.
  private var unendedDumps = 0

  /// - Parameter read: returns the next bytes of the dump; none at the end.
  init(wanted: [String], read: @escaping () throws -> [UInt8]) {
    self.wanted = wanted
    lines = LineReader(read)
  }

  /// Calls `body` for each row of the wanted tables. If there are `problems` afterwards, some rows are missing.
  ///
  /// - Parameter body: may throw `DumpProblems`, which are added to `problems`.
  /// - Throws: the errors of `read`.
  mutating func forEachRow(_ body: (DumpRow) throws -> Void) throws {
    do {
      while let line = try nextLine() {
        if lineNumber == 1 { try checkFormat(line) }
        try read(String(decoding: line, as: UTF8.self), body)
      }
      try checkEnd()
    } catch let problem as DumpProblems {
      problems.add(problem)
    }
  }

  mutating func add(_ line: Int, _ message: String) {
    problems.add(DumpProblems(line: line, message))
  }

  // MARK: - Lines

  /// The next line, without its line feed and the carriage return that Windows adds; nil at the end. Of a line that is too
  /// long, `maxLineBytes` and one more are returned.
  private mutating func nextLine() throws -> [UInt8]? {
    guard let first = try lines.next(maxBytes: Self.maxLineBytes + 1) else { return nil }
    var isWhole = first.isWhole
    while !isWhole, let rest = try lines.next(maxBytes: Self.maxLineBytes) { isWhole = rest.isWhole }
    var line = first.bytes
    lineNumber += 1
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line
  }

  private func checkFormat(_ line: [UInt8]) throws(DumpProblems) {
    for (name, signature) in [("custom", "PGDMP"), ("tar", "toc.dat\0")] where line.starts(with: signature.utf8) {
      throw DumpProblems(
        line: 1, "This is pg_dump's \(name) format. Make a plain dump of it: pg_restore -f plain.sql DUMP")
    }
    if let reason = compressedForm(of: line, name: "DUMP") { throw DumpProblems(line: 1, "This \(reason)") }
    // Converted, it would still have the names that PowerShell has spoilt.
    if isUTF16(line) || line.prefix(2).contains(0) {
      throw DumpProblems(
        line: 1, "This is UTF-16, as PowerShell's > writes it. Make the dump with pg_dump --file=railsauth.sql")
    }
  }

  private mutating func read(_ line: String, _ body: (DumpRow) throws -> Void) throws {
    if let columns = line.dropping("COPY ", " FROM stdin;") {
      try readCopy(columns, body)
    } else if let statement = line.dropping("COPY "), wanted.contains(tableName(statement.prefix { $0 != " " })) {
      add(lineNumber, "The rows are in another file. Make a dump with pg_dump --format=plain --encoding=UTF8")
    } else if let statement = line.dropping("INSERT ")?.dropping("INTO ") {
      let table = tableName(statement.prefix { $0 != " " })
      if wanted.contains(table) && insertions[table] == nil { insertions[table] = lineNumber }
    } else if let encoding = line.dropping("SET client_encoding = '", "';") {
      // SQL_ASCII may be any encoding. Each text is checked for UTF-8 when it is read.
      guard ["UTF8", "SQL_ASCII"].contains(encoding) else {
        return add(lineNumber, "The dump is in \(encoding). Make one with pg_dump --encoding=UTF8")
      }
    } else if let path = line.dropping("SET search_path = ", ";") {
      schema = path.prefix { $0 != "," }.filter { $0 != "\"" }
    } else if line == "-- PostgreSQL database dump" {
      unendedDumps += 1
    } else if line == "-- PostgreSQL database dump complete" {
      unendedDumps -= 1
    }
  }

  private mutating func checkEnd() throws(DumpProblems) {
    if unendedDumps > 0 { add(lineNumber, "The dump is cut off: pg_dump's last line is missing.") }
    for table in wanted where !found.contains(table) {
      guard let line = insertions[table] else { continue }
      throw DumpProblems(
        line: line,
        """
        The rows of \(table) are in INSERT, and only COPY is understood. Make a dump without --inserts, --column-inserts \
        and --rows-per-insert: pg_dump --format=plain --encoding=UTF8
        """)
    }
  }

  // MARK: - Rows

  /// Reads the rows that follow `COPY public.users (id, email) FROM stdin;`, up to `\.`.
  ///
  /// - Parameter names: the table and its columns.
  private mutating func readCopy(_ names: Substring, _ body: (DumpRow) throws -> Void) throws {
    let start = lineNumber
    let parts = names.split(separator: " (", maxSplits: 1)
    let table = tableName(parts.first ?? "")
    let isWanted = wanted.contains(table)
    if isWanted && !found.insert(table).inserted {
      throw DumpProblems(line: start, "There is a second table \(table). Import a dump of only one database.")
    }
    let columns = parts.last?.dropping("", ")")?.split(separator: ", ").map { $0.filter { $0 != "\"" } } ?? []
    let positions = Dictionary(zip(columns, columns.indices)) { first, _ in first }
    var rows = 0
    while let line = try nextLine() {
      if line.elementsEqual("\\.".utf8) {
        if !isWanted && skipped.count < Self.maxSkipped { skipped.append(SkippedTable(table: table, rows: rows)) }
        return
      }
      rows += 1
      guard isWanted else { continue }
      guard rows <= Self.maxRows else {
        throw DumpProblems(line: lineNumber, "There are more than \(Self.maxRows) rows in \(table).")
      }
      do {
        try body(DumpRow(line, of: table, line: lineNumber, columns: positions))
      } catch let problem as DumpProblems {
        problems.add(problem)
      }
    }
    throw DumpProblems(line: start, "The rows of the COPY that begins here do not end with \\.")
  }

  /// The name of a table without its schema, if that is `public`. Newer dumps write the schema of every name.
  private func tableName(_ name: Substring) -> String {
    // pg_dump --quote-all-identifiers also quotes names that do not need it.
    if let name = name.dropping("public.") ?? name.dropping("\"public\".") { return name.filter { $0 != "\"" } }
    return name.contains(".") || schema == "public" ? String(name) : "\(schema).\(name)"
  }
}

/// Everything in a dump that cannot be understood. If there is anything, nothing of the dump is imported. A row that is
/// understood but not imported is an `ImportPlan.Refusal`.
package struct DumpProblems: Error, Sendable, Equatable {
  /// More problems are only counted. A broken dump can have one in every line, and the first ones explain the rest.
  package static let maxKept = 20

  private var first: [String] = []
  package private(set) var count = 0

  init() {}

  /// - Parameter line: the first is 1.
  init(line: Int, _ message: String) {
    first = ["line \(line): \(message)"]
    count = 1
  }

  mutating func add(_ others: DumpProblems) {
    count += others.count
    first += others.first.prefix(Self.maxKept - first.count)
  }

  /// A line for each problem that was kept, and one that counts the others.
  package var lines: [String] { first + (count > first.count ? ["and \(count - first.count) more"] : []) }
}

extension StringProtocol where SubSequence == Substring {
  /// The text between a beginning and an end; nil if it has others.
  fileprivate func dropping(_ beginning: String, _ end: String = "") -> Substring? {
    guard hasPrefix(beginning), dropFirst(beginning.count).hasSuffix(end) else { return nil }
    return dropFirst(beginning.count).dropLast(end.count)
  }
}

/// A table of a dump that is not imported.
package struct SkippedTable: Sendable {
  package let table: String
  package let rows: Int
}
