import Foundation
import SQLite
import Testing

/// A write that was answered is there after a power failure, whatever syncs have failed before or after it.
@Suite("After a sync that failed") struct FailedSyncTests {
  private static func open(_ folder: TemporaryFolder) throws -> Database {
    let step = Migration(name: "0001_a", sql: "CREATE TABLE a (x INTEGER, filler BLOB)", sha256: "1")
    return try Database(path: folder.databasePath, migrations: Migrations([step]), now: 0)
  }

  private static func insert(_ value: Int64, pages: Int = 1, into database: Database) async throws {
    try await database.write { connection in
      for _ in 0..<pages {
        try connection.run(
          "INSERT INTO a VALUES (?, ?)", .integer(value), .blob([UInt8](repeating: UInt8(value), count: 4000)))
      }
    }
  }

  private static func values(_ database: Database) throws -> [Int64] {
    #expect(try database.read { try $0.integrityProblems() } == [])
    return try database.read { try $0.query("SELECT DISTINCT x FROM a ORDER BY x") { $0.integer(0) } }
  }

  /// What a start in this folder finds.
  private static func values(in folder: TemporaryFolder) throws -> [Int64] {
    try withExtendedLifetime(folder) { try values(open(folder)) }
  }

  private static func failLogSync(_ folder: TemporaryFolder, of write: () async throws -> Void) async {
    LossyDisk.failSyncs(of: folder.logPath)
    let error = await #expect(throws: SQLiteError.self) { try await write() }
    #expect(error?.mayBeCommitted == true)
    #expect(error?.isStorageFailure == true)
  }

  /// Longer and shorter than the write that failed, whose frames it overwrites, and as long.
  @Test(arguments: [1, 5, 20])
  func `the next write overwrites the one that failed`(_ pages: Int) async throws {
    let folder = try LossyDisk.folder()
    let database = try Self.open(folder)
    try await Self.insert(1, into: database)
    await Self.failLogSync(folder) { try await Self.insert(2, pages: 5, into: database) }
    #expect(try Self.values(database) == [1])
    try await Self.insert(3, pages: pages, into: database)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 3])
    #expect(try Self.values(in: LossyDisk.afterKill(of: folder)) == [1, 3])
  }

  @Test func `several that failed in a row leave nothing once one succeeds`() async throws {
    let folder = try LossyDisk.folder()
    let database = try Self.open(folder)
    try await Self.insert(1, into: database)
    for pages in [20, 1, 7] {
      await Self.failLogSync(folder) { try await Self.insert(2, pages: pages, into: database) }
    }
    try await Self.insert(3, pages: 3, into: database)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 3])
    #expect(try Self.values(in: LossyDisk.afterKill(of: folder)) == [1, 3])
  }

  @Test func `a start that takes the failed write from the log puts it onto the disk`() async throws {
    let folder = try LossyDisk.folder()
    let database = try Self.open(folder)
    try await Self.insert(1, into: database)
    await Self.failLogSync(folder) { try await Self.insert(2, pages: 5, into: database) }

    let killed = try LossyDisk.afterKill(of: folder)
    let restarted = try Self.open(killed)
    #expect(try Self.values(restarted) == [1, 2], "nobody was told that it is gone")
    try await Self.insert(3, into: restarted)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: killed)) == [1, 2, 3])
  }
}
