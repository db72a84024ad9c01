import Platform
import SQL
import TestSupport
import Testing

@testable import SQLite

/// Copying a database.
@Suite struct OnlineBackupTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  private static let rows = 3000

  init() throws {
    folder = try TemporaryFolder()
    connection = try folder.connection()
    try connection.execute("CREATE TABLE a (id INTEGER PRIMARY KEY, bytes BLOB)")
    try connection.run(
      Query(
        """
        INSERT INTO a WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < ?)
        SELECT id, randomblob(2000) FROM n
        """, .integer(Int64(Self.rows))))
  }

  private var copyPath: String { folder.path + "/copy.sqlite3" }

  private func sum(_ connection: Connection) throws -> [String?] {
    try connection.query("SELECT id || hex(bytes) FROM a ORDER BY id") { $0.text(0) }
  }

  @Test func `a copy has all of it, is sound, and is for its owner only`() throws {
    try folder.connection(.readOnly).copy(to: copyPath)
    let copy = try Connection(path: copyPath, mode: .readOnly)
    #expect(try copy.integrityProblems() == [])
    #expect(try sum(copy) == sum(connection))
    #expect(try copy.byteCount() == connection.byteCount())
    #expect(try folder.permissions(of: "copy.sqlite3") == 0o600)
    #expect(try folder.bytes(of: "copy.sqlite3").count == Int(copy.byteCount()))
    #expect(!folder.exists("copy.sqlite3-journal"))
  }

  @Test func `it is of one instant, whatever is written meanwhile`() throws {
    let before = try sum(connection)
    var reports: [Int64] = []
    try folder.connection(.readOnly).copy(to: copyPath) { bytes, total in
      reports.append(bytes)
      #expect(bytes <= total)
      // Pages that are copied already, and others that are not yet.
      try connection.run(Query("UPDATE a SET bytes = randomblob(2000) WHERE id IN (1, ?)", .integer(Int64(Self.rows))))
      try connection.run("INSERT INTO a (bytes) VALUES (randomblob(3000))")
      try connection.execute("PRAGMA wal_checkpoint")
    }
    #expect(reports.count > 1)
    #expect(reports == reports.sorted())
    let copy = try Connection(path: copyPath, mode: .readOnly)
    #expect(try copy.integrityProblems() == [])
    #expect(try sum(copy) == before)
    #expect(try sum(connection).count == Self.rows + reports.count)
  }

  @Test func `one that is given up leaves nothing, and the source as it was`() throws {
    let reader = try folder.connection(.readOnly)
    #expect(throws: NotPossible.self) { try reader.copy(to: copyPath) { _, _ in throw NotPossible("enough") } }
    #expect(!folder.exists("copy.sqlite3"))
    #expect(!reader.isInTransaction)
    try reader.copy(to: copyPath)
    #expect(folder.exists("copy.sqlite3"))
  }

  @Test func `what is there already is left alone`() throws {
    try folder.write("mine", to: "copy.sqlite3")
    let error = #expect(throws: FileError.self) { try connection.copy(to: copyPath) }
    #expect(error?.description.contains("copy.sqlite3: File exists") == true)
    #expect(try folder.text(of: "copy.sqlite3") == "mine")
    #expect(throws: FileError.self) { try connection.copy(to: "\(folder.path)/no/copy.sqlite3") }
    #expect(throws: SQLiteError.self) { try connection.copy(to: "\(folder.path)/a\u{0}b") }
  }
}
