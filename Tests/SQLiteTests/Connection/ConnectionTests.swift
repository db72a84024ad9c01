import SQL
import TestSupport
import Testing

@testable import SQLite

@Suite struct ConnectionTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute(
      """
      CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE, data BLOB);
      CREATE TABLE parts (item_id INTEGER NOT NULL REFERENCES items (id), note TEXT CHECK (length(note) < 100));
      """)
  }

  @Test(
    arguments: [
      .integer(0), .integer(.min), .integer(.max), -1, .text(""), "a", "naïve 🤳\u{2028}", "before\0after", "\0",
      .text(String(repeating: "x", count: 100_000)), .blob([]), .blob([0]), .blob(Array(0...255)), .null,
    ] as [Value])
  func `a value comes back as it went in`(value: Value) throws {
    let back = try connection.first(Query("SELECT ?1, typeof(?1)", value)) { row -> Value in
      switch row.text(1) {
      case "integer": .integer(row.integer(0))
      case "text": .text(row.text(0) ?? "not a text")
      case "blob": .blob(row.blob(0))
      default: row.isNull(0) ? .null : "not NULL"
      }
    }
    #expect(back == value)
  }

  @Test func `text is lent as bytes, and NULL or a column that is not there as none`() throws {
    let bytes = try connection.first(Query("SELECT ?, NULL, 12", "a\0ü")) { row in
      [0, 1, 2, 3, -1].map { row.withTextBytes($0) { Array($0) } }
    }
    #expect(bytes == [Array("a\0ü".utf8), [], Array("12".utf8), [], []])
    let nulls = try connection.first("SELECT NULL") { ($0.text(0), $0.blob(0), $0.integer(0), $0.columnCount) }
    #expect(nulls?.0 == nil && nulls?.1 == [] && nulls?.2 == 0 && nulls?.3 == 1)
  }

  @Test func `a column is found by its name, in whatever order a statement has the columns`() throws {
    try connection.run("INSERT INTO items (name, data) VALUES ('a', NULL), ('b', x'00')")
    for query in ["SELECT * FROM items", "SELECT data, name, id FROM items"] as [Query] {
      let read = try connection.query(query) { row in
        (row["id"] as Int64, row["name"] as String, row["data"] as [UInt8]?, row["none"] as String?)
      }
      #expect(read.map(\.0) == [1, 2])
      #expect(read.map(\.1) == ["a", "b"])
      #expect(read.map(\.2) == [nil, [0]])
      #expect(read.map(\.3) == [nil, nil])
    }
  }

  @Test func `rows are fetched of a statement that changes them`() throws {
    let added = try connection.rows(
      Query("INSERT INTO items (name, data) VALUES ($1, $2), ($3, NULL) RETURNING *", "a\0b", .blob([0, 255]), "ü"))
    #expect(added.map { $0.integer(0) } == [1, 2])
    #expect(added.map { $0.text(1) } == ["a\0b", "ü"])
    #expect(added.map { $0.blob(2) } == [[0, 255], []])
    #expect(added.map { $0.isNull(2) } == [false, true])
    let none = try connection.rows(Query("SELECT * FROM items WHERE id > $1", 2))
    #expect(none.isEmpty)
    #expect(try connection.run(Query("UPDATE items SET name = name || $1", "x")) == 2)
    #expect(try connection.run(Query("DELETE FROM items WHERE id > $1", 2)) == 0)
  }

  @Test(
    arguments: [
      ("SELECT 'a', '\u{e9}', '\u{fffd}', x'ff', 1, NULL", "a", false),
      ("SELECT CAST(x'61ff62' AS TEXT), 1", "a\u{fffd}b", true), ("SELECT 1, CAST(x'ff' AS TEXT)", "1", true),
      ("SELECT 2, CAST(x'6162eda080' AS TEXT)", "2", true),
    ] as [(Query, String, Bool)])
  func `text that is not UTF-8 is repaired, and a row tells of it`(
    query: Query, text: String, isInvalid: Bool
  ) throws {
    #expect(try connection.first(query) { $0.text(0) } == text)
    #expect(try connection.first(query) { $0.hasInvalidText } == isInvalid)
  }

  @Test func `a unique violation is told by its code, and the statement works again afterwards`() throws {
    func insert(_ id: Int64, _ name: String) throws {
      try connection.run(Query("INSERT INTO items (id, name) VALUES (?, ?)", .integer(id), .text(name)))
    }
    try insert(1, "a")
    let sameName = #expect(throws: SQLiteError.self) { try insert(2, "a") }
    #expect(sameName?.code == 2067)
    #expect(sameName?.message == "UNIQUE constraint failed: items.name")
    let sameID = #expect(throws: SQLiteError.self) { try insert(1, "b") }
    #expect(sameID?.code == 1555)
    try insert(2, "b")
    let check = #expect(throws: SQLiteError.self) {
      try connection.run(Query("INSERT INTO parts VALUES (1, ?)", .text(String(repeating: "x", count: 100))))
    }
    #expect(check?.code == 275)
  }

  @Test func `a statement that a closure left by throwing starts afresh`() throws {
    func names() throws -> [String?] {
      try connection.query("SELECT name FROM items ORDER BY name") { $0.text(0) }
    }
    try connection.execute("INSERT INTO items (name) VALUES ('a'), ('b')")
    for _ in 0..<3 {
      #expect(throws: NotPossible.self) {
        try connection.forEach("SELECT name FROM items ORDER BY name") { _ in throw NotPossible("stop") }
      }
    }
    #expect(try names() == ["a", "b"])
    // It holds no read transaction either: this could not be run while a statement reads.
    try connection.execute("DROP TABLE parts; VACUUM")
    #expect(try names() == ["a", "b"])
  }

  @Test func `a statement inside its own rows is an error, another is not`() throws {
    try connection.execute("INSERT INTO items (name) VALUES ('a'), ('b')")
    func outer(_ body: () throws -> Void) throws {
      try connection.forEach("SELECT name FROM items") { _ in
        try body()
        return true
      }
    }
    let error = #expect(throws: SQLiteError.self) { try outer { try outer {} } }
    #expect(error?.code == 21)
    var count = 0
    try outer { count += try connection.first("SELECT 1") { Int($0.integer(0)) } ?? 0 }
    #expect(count == 2)
  }

  @Test(
    arguments: ["", " ", "-- nothing", "SELEC", "SELECT 1; SELECT 2", "SELECT 1 \0 FROM items"])
  func `SQL that is not one statement is an error`(sql: String) {
    #expect(throws: SQLiteError.self) { try Statement(sql, on: connection.open()) }
  }

  @Test func `a value beyond the limit is refused, and so are too many or too few`() throws {
    #expect(throws: SQLiteError.self) { try connection.run("SELECT ?") }
    #expect(throws: SQLiteError.self) { try connection.run(Query("SELECT 1", 1)) }
    let data = [UInt8](repeating: 0, count: Int(Connection.maxValueBytes) + 1)
    let error = #expect(throws: SQLiteError.self) { try connection.run(Query("SELECT ?", .blob(data))) }
    #expect(error?.code == 18)
    try connection.run(Query("SELECT ?", 1))
  }

  @Test func `a writer's settings`() throws {
    func integer(_ pragma: Query) throws -> Int64? { try connection.first(pragma) { $0.integer(0) } }
    #expect(try connection.first("PRAGMA journal_mode") { $0.text(0) } == "wal")
    #expect(try integer("PRAGMA synchronous") == 2)
    #expect(try integer("PRAGMA foreign_keys") == 1)
    #expect(try integer("PRAGMA trusted_schema") == 0)
    #expect(try integer("PRAGMA busy_timeout") == 5000)
  }

  @Test func `a reader sees what is committed and changes nothing`() throws {
    try connection.run("INSERT INTO items (name) VALUES ('a')")
    let reader = try folder.connection(.readOnly)
    #expect(try reader.first("SELECT count(*) FROM items") { $0.integer(0) } == 1)
    let error = #expect(throws: SQLiteError.self) { try reader.run("DELETE FROM items") }
    #expect(error?.primaryCode == 8)
    #expect(try reader.first("PRAGMA busy_timeout") { $0.integer(0) } == 5000)
  }

  @Test func `a file that cannot be opened is an error that names it`() throws {
    let error = #expect(throws: SQLiteError.self) { try Connection(path: "\(folder.path)/none/x", mode: .readWrite) }
    #expect(error?.primaryCode == 14)
    #expect(error?.message.contains("none/x") == true)
    #expect(throws: SQLiteError.self) { try Connection(path: "\(folder.path)/absent", mode: .readOnly) }
    #expect(throws: SQLiteError.self) { try Connection(path: "\(folder.path)/a\0b", mode: .readWrite) }
    #expect(throws: SQLiteError.self) { try Connection(path: ":memory:", mode: .readWrite) }
  }

  @Test func `a transaction is committed as a whole or not at all`() throws {
    #expect(throws: NotPossible.self) {
      try connection.transaction {
        try connection.run("INSERT INTO items (name) VALUES ('a')")
        throw NotPossible("stop")
      }
    }
    try connection.transaction { try connection.run("INSERT INTO items (name) VALUES ('b')") }
    #expect(try connection.query("SELECT name FROM items") { $0.text(0) } == ["b"])
    #expect(!connection.isInTransaction)
  }

  @Test func `a snapshot stays as it is while another connection writes`() throws {
    let reader = try folder.connection(.readOnly)
    func count() throws -> Int64? { try reader.first("SELECT count(*) FROM items") { $0.integer(0) } }
    let counts = try reader.snapshot {
      let before = try count()
      try connection.run("INSERT INTO items (name) VALUES ('a')")
      return [before, try count()]
    }
    #expect(counts == [0, 0])
    #expect(try count() == 1)
  }

  @Test func `a closed connection answers with an error`() throws {
    connection.close()
    connection.close()
    #expect(throws: SQLiteError.self) { try connection.run("SELECT 1") }
    #expect(throws: SQLiteError.self) { try connection.execute("SELECT 1") }
    #expect(!connection.isInTransaction)
  }
}
