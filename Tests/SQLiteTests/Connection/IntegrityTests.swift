import Foundation
import SQLite
import TestSupport
import Testing
import SQL

/// Looking for damage.
@Suite struct IntegrityTests {
  private let folder: TemporaryFolder
  private let connection: Connection

  init() throws {
    folder = try TemporaryFolder()
    connection = try Connection(path: folder.databasePath, mode: .readWrite)
    try connection.execute(
      """
      CREATE TABLE users (id INTEGER PRIMARY KEY);
      CREATE TABLE photos (id INTEGER PRIMARY KEY, user_id INTEGER REFERENCES users (id), bytes BLOB);
      INSERT INTO users VALUES (1);
      INSERT INTO photos VALUES (1, 1, randomblob(3000)), (2, 1, randomblob(3000));
      """)
  }

  @Test func `a sound database has no problems, for a reader either`() throws {
    let reader = try Connection(path: folder.databasePath, mode: .readOnly)
    for connection in [connection, reader] {
      #expect(try connection.integrityProblems() == [])
      #expect(try connection.foreignKeyProblems() == [])
    }
  }

  @Test func `rows without a user are reported, a hundred at most`() throws {
    try connection.execute("PRAGMA foreign_keys = OFF; DELETE FROM users")
    #expect(
      try connection.foreignKeyProblems()
        == [1, 2].map { "row \($0) of photos belongs to a row of users that is not there" })
    for id in 3..<300 { try connection.run(Query("INSERT INTO photos VALUES (?, 5, NULL)", .integer(Int64(id)))) }
    #expect(try connection.foreignKeyProblems().count == 100)
  }

  @Test func `damage is told, and not thrown`() throws {
    connection.close()
    let file = try #require(FileHandle(forUpdatingAtPath: folder.databasePath))
    try file.seek(toOffset: try file.seekToEnd() - 4096)
    try file.write(contentsOf: Data(repeating: 0xa5, count: 4096))
    try file.close()
    let reader = try Connection(path: folder.databasePath, mode: .readOnly)
    #expect(try !reader.integrityProblems().isEmpty)
    #expect(try reader.foreignKeyProblems() == ["database disk image is malformed"])
  }
}
