import Cryptography
import SQL
import SQLite
import TestSupport
import Testing

@Suite struct MigrationsTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
  }

  private func migrations() throws(MigrationError) -> Migrations {
    try Migrations(directory: folder.path)
  }

  @discardableResult
  private func migrate() throws(MigrationError) -> [String] {
    try migrations().run(on: connection, now: 1_700_000_000_123)
  }

  private func tables() throws -> [String?] {
    try connection.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") { $0.text(0) }
  }

  @Test func `each runs once, in order`() throws {
    try folder.write("ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2);", to: "0002_add_y.sql")
    try folder.write("-- First.\nCREATE TABLE a (x);\n", to: "0001_create_a.sql")
    try folder.write("not SQL", to: "README.md")
    try folder.write("not SQL", to: ".0003_hidden.sql")
    #expect(try migrate() == ["0001_create_a", "0002_add_y"])
    #expect(try migrate() == [])
    try folder.write("CREATE TABLE b (x)", to: "0003_create_b.sql")
    #expect(try migrate() == ["0003_create_b"])
    #expect(try connection.first("SELECT count(*) FROM a WHERE y = 2") { $0.integer(0) } == 1)
    let records = try connection.query("SELECT name, sha256, applied_at FROM schema_migrations ORDER BY name") {
      [$0.text(0), $0.text(1), $0.text(2)]
    }
    #expect(records.count == 3)
    #expect(
      records.last == ["0003_create_b", Digest.hex(Digest.sha256(Array("CREATE TABLE b (x)".utf8))), "1700000000123"])
  }

  @Test func `what is still to be run is known without a change, to a reader too`() throws {
    try folder.write("CREATE TABLE a (x);", to: "0001_create_a.sql")
    let reader = try Connection(path: folder.databasePath, mode: .readOnly)
    #expect(try migrations().pending(on: reader).map(\.name) == ["0001_create_a"])
    #expect(try tables() == [])
    try migrate()
    try folder.write("CREATE TABLE b (x);", to: "0002_create_b.sql")
    #expect(try migrations().pending(on: reader).map(\.name) == ["0002_create_b"])
    try folder.write("CREATE TABLE c (x);", to: "0001_create_a.sql")
    #expect(throws: MigrationError.self) { try migrations().pending(on: reader) }
  }

  @Test func `what they have not made is a difference, at every version`() throws {
    try folder.write("CREATE TABLE a (x INTEGER PRIMARY KEY AUTOINCREMENT, y UNIQUE);", to: "0001_create_a.sql")
    try folder.write("ALTER TABLE a ADD COLUMN z; CREATE INDEX by_z ON a (z);", to: "0002_add_z.sql")
    try migrate()
    try connection.execute("INSERT INTO a VALUES (1, 2, 3); ANALYZE;")
    try folder.write("CREATE TABLE b (x);", to: "0003_create_b.sql")
    let reader = try Connection(path: folder.databasePath, mode: .readOnly)
    #expect(try migrations().schemaDifferences(on: reader) == [])
    try connection.execute(
      """
      CREATE TRIGGER evil AFTER INSERT ON a BEGIN DELETE FROM a; END;
      CREATE VIEW seen AS SELECT * FROM a;
      DROP INDEX by_z;
      CREATE TABLE b (x);
      ALTER TABLE a ADD COLUMN more;
      """)
    #expect(
      try migrations().schemaDifferences(on: reader) == [
        "its table a is not as the migrations make it", "it has the trigger evil, which no migration makes",
        "it has the view seen, which no migration makes", "it has the table b, which no migration makes",
        "it lacks the index by_z",
      ])
  }

  @Test func `an edited file is refused by its name`() throws {
    try folder.write("CREATE TABLE a (x)", to: "0001_a.sql")
    try migrate()
    try folder.write("CREATE TABLE a (x, y)", to: "0001_a.sql")
    try folder.write("CREATE TABLE b (x)", to: "0002_b.sql")
    let error = #expect(throws: MigrationError.self) { try migrate() }
    #expect(error?.description.hasPrefix("0001_a.sql was edited") == true)
    #expect(try tables() == ["a", "schema_migrations"])
  }

  @Test func `a database from a newer version is refused, with what to do`() throws {
    try folder.write("CREATE TABLE a (x)", to: "0001_a.sql")
    let older = try migrations()
    try folder.write("CREATE TABLE b (x)", to: "0002_b.sql")
    try migrate()
    let error = #expect(throws: MigrationError.self) { try older.run(on: connection, now: 0) }
    #expect(error?.description.contains("0002_b.sql") == true)
    #expect(error?.description.contains("newer selfie-server") == true)
    #expect(error?.description.contains("backup") == true)
  }

  @Test func `a migration that comes before one already run is refused`() throws {
    let later = Migrations([Migration(name: "0002_b", sql: "SELECT 1")])
    #expect(try later.run(on: connection, now: 0) == ["0002_b"])
    let both = Migrations([
      Migration(name: "0001_a", sql: "CREATE TABLE a (x)"),
      Migration(name: "0002_b", sql: "SELECT 1"),
    ])
    #expect(throws: MigrationError.self) { try both.run(on: connection, now: 0) }
    #expect(try tables() == ["schema_migrations"])
  }

  @Test(
    arguments: [
      "CREATE TABLE b (x); SELEC;", "CREATE TABLE b (x); INSERT INTO nowhere VALUES (1);",
      "CREATE TABLE b (x); COMMIT;", "CREATE TABLE b (x); ROLLBACK;", "CREATE TABLE b (x); BEGIN;",
      "CREATE TABLE b (x); SAVEPOINT s;", "CREATE TABLE b (x); ATTACH ':memory:' AS other;",
    ])
  func `one that fails leaves no trace, and those before it stay`(sql: String) throws {
    try folder.write("CREATE TABLE a (x)", to: "0001_a.sql")
    try folder.write(sql, to: "0002_b.sql")
    let error = #expect(throws: MigrationError.self) { try migrate() }
    #expect(error?.description.hasPrefix("0002_b.sql: ") == true)
    #expect(try tables() == ["a", "schema_migrations"])
    #expect(try connection.query("SELECT name FROM schema_migrations") { $0.text(0) } == ["0001_a"])
    try folder.write("CREATE TABLE b (x)", to: "0002_b.sql")
    #expect(try migrate() == ["0002_b"])
  }

  @Test(
    arguments: [
      ["0001_a.sql", "0001_b.sql"], ["0001_a.sql", "0003_c.sql"], ["0002_b.sql"], ["0000_zero.sql"], ["1_a.sql"],
      ["0001.sql"], ["0001_.sql"], ["0001-a.sql"], ["a.sql"], ["0001_a.sql", "+002_b.sql"], [],
    ])
  func `files that leave the order open are refused`(files: [String]) throws {
    for file in files { try folder.write("SELECT 1", to: file) }
    #expect(throws: MigrationError.self) { try migrations() }
  }

  @Test func `a file that holds a NUL or too much is refused`() throws {
    try folder.write("SELECT 1; \0 SELECT 2", to: "0001_a.sql")
    #expect(throws: MigrationError.self) { try migrations() }
    try folder.write(String(repeating: " ", count: Migrations.maxFileBytes + 1), to: "0001_a.sql")
    #expect(throws: MigrationError.self) { try migrations() }
    try folder.write("SELECT 1", to: "0001_a.sql")
    #expect(try migrations().steps.map(\.name) == ["0001_a"])
  }

  @Test func `a folder that is not there is named`() {
    let error = #expect(throws: MigrationError.self) {
      try Migrations(directory: folder.path + "/none")
    }
    #expect(error?.description.contains("/none: No such file or directory") == true)
  }
}
