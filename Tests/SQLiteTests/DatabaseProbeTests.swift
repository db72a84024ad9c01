import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// A probe of the database.
@Suite struct DatabaseProbeTests {
  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try folder.database("CREATE TABLE a (x INTEGER)")
  }

  private func logBytes() throws -> Int {
    try Data(contentsOf: URL(fileURLWithPath: folder.databasePath + "-wal")).count
  }

  @Test func `writes a page each time, and changes nothing`() async throws {
    for _ in 0..<3 {
      let (commits, bytes) = (database.commitCount, try logBytes())
      try await database.probe()
      #expect(database.commitCount == commits + 1)
      // A frame is a page and 24 bytes (sqlite.org/fileformat2.html#the_write_ahead_log).
      #expect(try logBytes() == bytes + 4096 + 24)
    }
    #expect(try database.read { try $0.integrityProblems() } == [])
    try await database.write { try $0.run("INSERT INTO a VALUES (1)") }
    #expect(try database.read { try $0.first("SELECT x FROM a") { $0.integer(0) } } == 1)
  }

  @Test func `fails while the file's name leads elsewhere`() async throws {
    let elsewhere = folder.path + "/elsewhere"
    try FileManager.default.moveItem(atPath: folder.databasePath, toPath: elsewhere)
    await #expect(throws: DatabaseError.moved) { try await database.probe() }
    try folder.write("", to: "test.sqlite3")
    await #expect(throws: DatabaseError.moved) { try await database.probe() }
    try FileManager.default.removeItem(atPath: folder.databasePath)
    try FileManager.default.moveItem(atPath: elsewhere, toPath: folder.databasePath)
    try await database.probe()
  }

  @Test func `fails when the database is closed`() async throws {
    database.close()
    await #expect(throws: DatabaseError.closed) { try await database.probe() }
  }
}
