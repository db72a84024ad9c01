import Platform
import SQL
import TestSupport
import Testing

@testable import SQLite

/// The copy before an upgrade.
@Suite struct UpgradeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private static let steps = (1...6).map { number in
    Migration(name: "000\(number)_step", sql: "CREATE TABLE t\(number) (x)")
  }

  /// Opens the database with the first steps, and returns what that has done to it.
  @discardableResult
  private func open(steps count: Int, keepsCopy: Bool = true) throws -> Upgrade {
    let migrations = Migrations(Array(Self.steps.prefix(count)))
    let database = try Database(path: folder.databasePath, migrations: migrations, now: 0, keepsCopy: keepsCopy)
    defer { database.close() }
    return database.upgrade
  }

  private func tables(_ path: String) throws -> [String?] {
    let connection = try Connection(path: path, mode: .readOnly)
    return try connection.query("SELECT name FROM sqlite_schema WHERE name LIKE 't_' ORDER BY 1") { $0.text(0) }
  }

  private func copies() throws -> [String] {
    try folder.names(in: "").filter { $0.contains("before") }.sorted()
  }

  @Test func `a new database is not copied, nor one that is up to date`() throws {
    #expect(try open(steps: 2) == Upgrade(steps: ["0001_step", "0002_step"], copy: nil))
    #expect(try open(steps: 2) == Upgrade(steps: [], copy: nil))
    #expect(try open(steps: 3, keepsCopy: false) == Upgrade(steps: ["0003_step"], copy: nil))
    #expect(try copies() == [])
  }

  @Test func `one that is brought up to date is kept as it was, for its owner only`() throws {
    try open(steps: 2)
    let connection = try folder.connection()
    try connection.run("INSERT INTO t2 VALUES ('kept')")
    connection.close()
    let copy = folder.databasePath + ".before-0003"
    #expect(try open(steps: 4) == Upgrade(steps: ["0003_step", "0004_step"], copy: copy))
    #expect(try tables(copy) == ["t1", "t2"])
    #expect(try tables(folder.databasePath) == ["t1", "t2", "t3", "t4"])
    let kept = try Connection(path: copy, mode: .readOnly)
    #expect(try kept.query("SELECT x FROM t2") { $0.text(0) } == ["kept"])
    #expect(try kept.integrityProblems() == [])
    kept.close()
    #expect(try folder.permissions(of: "test.sqlite3.before-0003") == 0o600)
    // An older program can go on with it.
    try folder.remove("test.sqlite3")
    try folder.move("test.sqlite3.before-0003", to: "test.sqlite3")
    #expect(try open(steps: 2) == Upgrade(steps: [], copy: nil))
  }

  @Test func `the newest three are kept, and nothing else is touched`() throws {
    for name in ["test.sqlite3.before-x", "test.sqlite3.before-00010", "other.before-0001"] {
      try folder.write("mine", to: name)
    }
    try folder.write("half", to: "test.sqlite3.before-0002.partial")
    for count in 1...6 { try open(steps: count) }
    #expect(
      try copies() == [
        "other.before-0001", "test.sqlite3.before-00010", "test.sqlite3.before-0004", "test.sqlite3.before-0005",
        "test.sqlite3.before-0006", "test.sqlite3.before-x",
      ])
  }

  /// An older database in the place of the new one is copied under a lower number than the copies that are there.
  @Test func `the one just made stays, also after a downgrade`() throws {
    for count in 1...6 { try open(steps: count) }
    try folder.remove("test.sqlite3")
    for suffix in ["-wal", "-shm"] { try? folder.remove("test.sqlite3\(suffix)") }
    try open(steps: 1)
    let copy = try #require(try open(steps: 6).copy)
    #expect(copy.hasSuffix(".before-0002"))
    #expect(try copies().count == 3)
    #expect(try tables(copy) == ["t1"])
  }

  @Test func `without room for it nothing is run`() throws {
    try open(steps: 2)
    let connection = try folder.connection()
    let error = #expect(throws: ConfigurationError.self) {
      _ = try Migrations(Self.steps).run(on: connection, now: 0) { step throws(ConfigurationError) in
        _ = try Migrations.keepCopy(of: connection, at: folder.databasePath, before: step, freeBytes: 1000)
      }
    }
    let needed = try connection.byteCount()
    #expect(
      error?.description
        == "0003_step.sql was not run, since no copy of the database could be made before, at "
        + "\(folder.databasePath).before-0003: \(needed) bytes are needed, and 1000 are free. Make room, and start again"
    )
    #expect(try tables(folder.databasePath) == ["t1", "t2"])
    #expect(try copies() == [])
  }

  @Test func `a step that fails leaves database and copy, and the copy is made anew`() throws {
    try open(steps: 1)
    let wrong = Migrations([Self.steps[0], Migration(name: "0002_step", sql: "CREATE TABEL t2")])
    #expect(throws: ConfigurationError.self) { try Database(path: folder.databasePath, migrations: wrong, now: 0) }
    #expect(try tables(folder.databasePath) == ["t1"])
    let connection = try folder.connection()
    try connection.run("INSERT INTO t1 VALUES ('later')")
    connection.close()
    let upgrade = try open(steps: 2)
    let kept = try Connection(path: try #require(upgrade.copy), mode: .readOnly)
    #expect(try kept.query("SELECT x FROM t1") { $0.text(0) } == ["later"])
  }
}
