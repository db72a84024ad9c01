import SQL
import SQLite
import TestSupport
import Testing

/// A write that was answered is there after a power failure, whatever syncs have failed before or after it.
@Suite struct FailedSyncTests {
  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try LossyDisk.folder()
    database = try Self.open(folder)
  }

  private static func open(_ folder: TemporaryFolder) throws -> Database {
    try folder.database("CREATE TABLE a (x INTEGER, filler BLOB)")
  }

  private func insert(_ value: Int64, pages: Int = 1, into other: Database? = nil) async throws {
    try await (other ?? database).write { connection in
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

  private func failLogSync(of write: () async throws -> Void) async {
    LossyDisk.failSyncs(of: folder.logPath)
    let error = await #expect(throws: SQLiteError.self) { try await write() }
    #expect(error?.mayBeCommitted == true)
    #expect(error?.isStorageFailure == true)
  }

  /// Longer and shorter than the write that failed, whose frames it overwrites, and as long.
  @Test(arguments: [1, 5, 20])
  func `the next write overwrites the one that failed`(_ pages: Int) async throws {
    try await insert(1)
    await failLogSync { try await insert(2, pages: 5) }
    #expect(try Self.values(database) == [1])
    try await insert(3, pages: pages)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 3])
    #expect(try Self.values(in: LossyDisk.afterKill(of: folder)) == [1, 3])
  }

  @Test func `several that failed in a row leave nothing once one succeeds`() async throws {
    try await insert(1)
    for pages in [20, 1, 7] {
      await failLogSync { try await insert(2, pages: pages) }
    }
    try await insert(3, pages: 3)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 3])
    #expect(try Self.values(in: LossyDisk.afterKill(of: folder)) == [1, 3])
  }

  @Test(arguments: [1, 5, 50, 800])
  func `a start that takes the failed write from the log puts it onto the disk`(_ pages: Int) async throws {
    try await insert(1)
    await failLogSync { try await insert(2, pages: pages) }

    let killed = try LossyDisk.afterKill(of: folder)
    let restarted = try Self.open(killed)
    #expect(try Self.values(restarted) == [1, 2], "nobody was told that it is gone")
    try await insert(3, into: restarted)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: killed)) == [1, 2, 3])
  }

  // MARK: - Checkpoints

  @Test func `a checkpoint whose sync fails is done again as a whole`() async throws {
    LossyDisk.failSyncs(of: folder.databasePath)
    try await insert(1, pages: 1100)
    #expect(try await checkpointFailure() != nil)
    #expect(LossyDisk.failuresLeft(of: folder.databasePath) == 0)
    try await insert(2, pages: 900)
    #expect(try await checkpointFailure() != nil, "it is not tried at each commit")
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 2])
    try await insert(3, pages: 200)
    #expect(try await checkpointFailure() == nil)
    // Into a log that begins anew.
    try await insert(4)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == [1, 2, 3, 4])
  }

  /// SQLite syncs the file only when the whole log is in it, and does not copy again what it has copied before.
  @Test func `a checkpoint whose sync fails after one that a reader held up is left to the next start`() async throws {
    try await insert(1, pages: 600)
    try await whileReading {
      try await insert(2, pages: 600)
      #expect(try await checkpointFailure() == nil)
    }
    LossyDisk.failSyncs(of: folder.databasePath)
    for value in 3...9 {
      try await insert(Int64(value), pages: 600)
      #expect(try await checkpointFailure() != nil)
    }
    #expect(LossyDisk.failuresLeft(of: folder.databasePath) == 0)
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == Array(1...9))

    database.close()
    #expect(folder.exists("test.sqlite3-wal"), "it is not folded into the file at the end either")
    let restarted = try Self.open(folder)
    for value in 10...11 {
      try await insert(Int64(value), into: restarted)
      #expect(try await checkpointFailure(restarted) == nil)
    }
    #expect(try Self.values(in: LossyDisk.afterPowerFailure(of: folder)) == Array(1...11))
    restarted.close()
    #expect(!folder.exists("test.sqlite3-wal"))
    #expect(try Self.values(in: folder) == Array(1...11))
  }

  /// After the checkpoint that the last write may have made due, which nobody waits for.
  private func checkpointFailure(_ other: Database? = nil) async throws -> SQLiteError? {
    let database = other ?? database
    try await database.write { _ in }
    return database.checkpointFailure
  }

  /// Keeps checkpoints from going further than to here.
  private func whileReading(_ body: () async throws -> Void) async throws {
    let reader = try folder.connection(.readOnly)
    try reader.execute("BEGIN")
    _ = try reader.query("SELECT count(*) FROM a") { _ in }
    try await body()
    reader.close()
  }
}
