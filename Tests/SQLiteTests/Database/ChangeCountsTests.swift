import Platform
import SQL
import SQLite
import TestSupport
import Testing

/// What tells those who keep what they have read that it has changed.
@Suite struct ChangeCountsTests {
  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try folder.database("CREATE TABLE a (x INTEGER)")
  }

  private func write(_ data: ChangedData) async throws {
    try await database.write(changing: data) { try $0.run("INSERT INTO a VALUES (1)") }
  }

  private var counts: [Int] { [1, 2].map(database.changeCount) }

  @Test func `a write counts for its key, and for all keys if it is about all data`() async throws {
    #expect(counts == [0, 0])
    try await write(.ofKey(1))
    #expect(counts == [1, 0])
    try await write(.none)
    #expect(counts == [1, 0])
    try await write(.all)
    #expect(counts == [2, 1])
    try await database.write { try $0.run("INSERT INTO a VALUES (1)") }
    #expect(counts == [3, 2])
  }

  @Test func `each commit grows the number of commits`() async throws {
    let before = database.commitCount
    try await write(.none)
    #expect(database.commitCount > before)
  }

  @Test(arguments: [.min, -1, 0, 4095, 4096, .max] as [Int64])
  func `any number is a key`(key: Int64) async throws {
    try await write(.ofKey(key))
    #expect(database.changeCount(of: key) == 1)
  }

  @Test func `no reader that finds a change counted reads what was before it`() async throws {
    let writes = 300
    async let writer: Void = {
      for _ in 0..<writes { try await write(.ofKey(1)) }
    }()
    let isOver = Monitor(false)
    let reader = Task.detached { [database] in
      // As an event loop, whose reads share a snapshot.
      database.endSnapshot()
      while !isOver.withLock({ $0 }) {
        let counted = database.changeCount(of: 1)
        let rows = try database.read { try $0.first(Query("SELECT count(*) FROM a")) { $0.integer(0) } }
        #expect(rows.map { $0 >= counted } == true)
      }
      database.endSnapshot()
    }
    try await writer
    isOver.withLock { $0 = true }
    try await reader.value
  }
}
