import Cryptography
import Platform
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

  /// Steps with these texts: 0001_a, 0002_b and so on.
  private func migrations(_ texts: String...) -> Migrations {
    Migrations(zip(["0001_a", "0002_b", "0003_c"], texts).map { Migration(name: $0, sql: $1) })
  }

  private func migrate(_ migrations: Migrations) throws(ConfigurationError) -> [String] {
    try migrations.run(on: connection, now: 1_700_000_000_123)
  }

  private func tables() throws -> [String?] {
    try connection.query("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") { $0.text(0) }
  }

  @Test func `each runs once, in order`() throws {
    let first = "-- First.\nCREATE TABLE a (x);\n"
    let second = "ALTER TABLE a ADD COLUMN y; INSERT INTO a VALUES (1, 2);"
    #expect(try migrate(migrations(first, second)) == ["0001_a", "0002_b"])
    #expect(try migrate(migrations(first, second)) == [])
    #expect(try migrate(migrations(first, second, "CREATE TABLE c (x)")) == ["0003_c"])
    #expect(try connection.first("SELECT count(*) FROM a WHERE y = 2") { $0.integer(0) } == 1)
    let records = try connection.query("SELECT name, sha256, applied_at FROM schema_migrations ORDER BY name") {
      [$0.text(0), $0.text(1), $0.text(2)]
    }
    #expect(records.count == 3)
    #expect(records.last == ["0003_c", Digest.hex(Digest.sha256(Array("CREATE TABLE c (x)".utf8))), "1700000000123"])
  }

  /// Another program may delete rows without regard to those that belong to them.
  @Test func `rows that lead to no other row stop none, and are named`() throws {
    let tables = "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id));"
    _ = try migrate(migrations(tables))
    try connection.execute("PRAGMA foreign_keys = OFF; INSERT INTO b VALUES (7); PRAGMA foreign_keys = ON")
    let next = migrations(tables, "CREATE TABLE c (a INTEGER REFERENCES a (id)); INSERT INTO c SELECT a FROM b;")
    let upgrade = try next.upgrade(connection, at: folder.databasePath, now: 0, keepsCopy: false)
    #expect(upgrade.steps == ["0002_b"] && upgrade.orphans.count == 2, "\(upgrade)")
    #expect(throws: SQLiteError.self) { try connection.execute("INSERT INTO c VALUES (8)") }
  }

  @Test func `what is still to be run is known without a change, to a reader too`() throws {
    let first = migrations("CREATE TABLE a (x);")
    let reader = try Connection(path: folder.databasePath, mode: .readOnly)
    #expect(try first.pending(on: reader).map(\.name) == ["0001_a"])
    #expect(try tables() == [])
    _ = try migrate(first)
    let both = migrations("CREATE TABLE a (x);", "CREATE TABLE b (x);")
    #expect(try both.pending(on: reader).map(\.name) == ["0002_b"])
    let edited = migrations("CREATE TABLE c (x);", "CREATE TABLE b (x);")
    #expect(throws: ConfigurationError.self) { try edited.pending(on: reader) }
  }

  @Test func `what they have not made is a difference, at every version`() throws {
    let steps = [
      "CREATE TABLE a (x INTEGER PRIMARY KEY AUTOINCREMENT, y UNIQUE);",
      "ALTER TABLE a ADD COLUMN z; CREATE INDEX by_z ON a (z);",
    ]
    _ = try migrate(migrations(steps[0], steps[1]))
    try connection.execute("INSERT INTO a VALUES (1, 2, 3); ANALYZE;")
    let later = migrations(steps[0], steps[1], "CREATE TABLE b (x);")
    let reader = try Connection(path: folder.databasePath, mode: .readOnly)
    #expect(try later.schemaDifferences(on: reader) == [])
    try connection.execute(
      """
      CREATE TRIGGER evil AFTER INSERT ON a BEGIN DELETE FROM a; END;
      CREATE VIEW seen AS SELECT * FROM a;
      DROP INDEX by_z;
      CREATE TABLE b (x);
      ALTER TABLE a ADD COLUMN more;
      """)
    #expect(
      try later.schemaDifferences(on: reader) == [
        "its table a is not as the migrations make it", "it has the trigger evil, which no migration makes",
        "it has the view seen, which no migration makes", "it has the table b, which no migration makes",
        "it lacks the index by_z",
      ])
  }

  /// Edited, missing since the database comes from a newer version, and inserted before a step that has run.
  @Test(arguments: [
    ([("0002_b", "CREATE TABLE b (x, y)"), ("0003_c", "CREATE TABLE c (x)")], "0002_b.sql was edited"),
    ([], "this database has had the migration 0002_b.sql, which is not here: it comes from a newer selfie-server."),
    ([("0001_a", "CREATE TABLE a (x)"), ("0002_b", "CREATE TABLE b (x)")], "0001_a.sql comes before 0002_b.sql"),
  ])
  func `steps that do not continue those of a database are refused`(
    steps: [(name: String, sql: String)], beginning: String
  ) throws {
    _ = try migrate(Migrations([Migration(name: "0002_b", sql: "CREATE TABLE b (x)")]))
    let migrations = Migrations(steps.map { Migration(name: $0.name, sql: $0.sql) })
    let error = #expect(throws: ConfigurationError.self) { try migrate(migrations) }
    #expect(error?.description.hasPrefix(beginning) == true, "\(String(describing: error))")
    #expect(try tables() == ["b", "schema_migrations"])
  }

  @Test(
    arguments: [
      "CREATE TABLE b (x); SELEC;", "CREATE TABLE b (x); INSERT INTO nowhere VALUES (1);",
      "CREATE TABLE b (x); COMMIT;", "CREATE TABLE b (x); ROLLBACK;", "CREATE TABLE b (x); BEGIN;",
      "CREATE TABLE b (x); SAVEPOINT s;", "CREATE TABLE b (x); ATTACH ':memory:' AS other;",
    ])
  func `one that fails leaves no trace, and those before it stay`(sql: String) throws {
    let error = #expect(throws: ConfigurationError.self) { try migrate(migrations("CREATE TABLE a (x)", sql)) }
    #expect(error?.description.hasPrefix("0002_b.sql: ") == true)
    #expect(try tables() == ["a", "schema_migrations"])
    #expect(try connection.query("SELECT name FROM schema_migrations") { $0.text(0) } == ["0001_a"])
    #expect(try migrate(migrations("CREATE TABLE a (x)", "CREATE TABLE b (x)")) == ["0002_b"])
  }
}
