import Foundation
import SQL
import SQLite
import TestSupport
import Testing

/// A write that was answered is there after a power failure, whatever syncs have failed before or after it.
@Suite struct FailedSyncTests {
  private static func open(_ folder: TemporaryFolder) throws -> Database {
    try folder.database("CREATE TABLE a (x INTEGER, filler BLOB)")
  }

  private static func insert(_ value: Int64, pages: Int = 1, into database: Database) async throws {
    try await database.write { connection in
      for _ in 0..<pages {
        try connection.run(
          Query(
            "INSERT INTO a VALUES (?, ?)", .integer(value), .blob([UInt8](repeating: UInt8(value), count: 4000))))
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

  @Test(arguments: [1, 5, 50, 800])
  func `a start that takes the failed write from the log puts it onto the disk`(_ pages: Int) async throws {
    let folder = try LossyDisk.folder()
    let database = try Self.open(folder)
    try await Self.insert(1, into: database)
    await Self.failLogSync(folder) { try await Self.insert(2, pages: pages, into: database) }

    let killed = try LossyDisk.afterKill(of: folder)
    let restarted = try Self.open(killed)
    #expect(try Self.values(restarted) == [1, 2], "nobody was told that it is gone")
    try await Self.insert(3, into: restarted)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: killed)) == [1, 2, 3])
  }

  // MARK: - Checkpoints

  @Test func `a checkpoint whose sync fails is done again as a whole`() async throws {
    let folder = try LossyDisk.folder()
    let database = try Self.open(folder)
    LossyDisk.failSyncs(of: folder.databasePath)
    try await Self.insert(1, pages: 1100, into: database)
    #expect(try await Self.checkpointFailure(database) != nil)
    #expect(LossyDisk.failuresLeft(of: folder.databasePath) == 0)
    try await Self.insert(2, pages: 900, into: database)
    #expect(try await Self.checkpointFailure(database) != nil, "it is not tried at each commit")
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 2])
    try await Self.insert(3, pages: 200, into: database)
    #expect(try await Self.checkpointFailure(database) == nil)
    // Into a log that begins anew.
    try await Self.insert(4, into: database)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 2, 3, 4])
  }

  /// SQLite syncs the file only when the whole log is in it, and does not copy again what it has copied before.
  @Test func `a checkpoint whose sync fails after one that a reader held up is left to the next start`() async throws {
    let folder = try LossyDisk.folder()
    let database = try Self.open(folder)
    try await Self.insert(1, pages: 600, into: database)
    try await Self.whileReading(folder) {
      try await Self.insert(2, pages: 600, into: database)
      #expect(try await Self.checkpointFailure(database) == nil)
    }
    LossyDisk.failSyncs(of: folder.databasePath)
    for value in 3...9 {
      try await Self.insert(Int64(value), pages: 600, into: database)
      #expect(try await Self.checkpointFailure(database) != nil)
    }
    #expect(LossyDisk.failuresLeft(of: folder.databasePath) == 0)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == Array(1...9))

    database.close()
    #expect(folder.exists("test.sqlite3-wal"), "it is not folded into the file at the end either")
    let restarted = try Self.open(folder)
    for value in 10...11 {
      try await Self.insert(Int64(value), into: restarted)
      #expect(try await Self.checkpointFailure(restarted) == nil)
    }
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == Array(1...11))
    restarted.close()
    #expect(!folder.exists("test.sqlite3-wal"))
    #expect(try Self.values(in: folder) == Array(1...11))
  }

  /// After the checkpoint that the last write may have made due, which nobody waits for.
  private static func checkpointFailure(_ database: Database) async throws -> SQLiteError? {
    try await database.write { _ in }
    return database.checkpointFailure
  }

  /// Keeps checkpoints from going further than to here.
  private static func whileReading(_ folder: TemporaryFolder, _ body: () async throws -> Void) async throws {
    let reader = try folder.connection(.readOnly)
    try reader.execute("BEGIN")
    _ = try reader.query("SELECT count(*) FROM a") { _ in }
    try await body()
    reader.close()
  }
}
