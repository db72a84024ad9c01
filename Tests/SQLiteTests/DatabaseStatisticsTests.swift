import Platform
import SQL
import TestSupport
import Testing

@testable import SQLite

@Suite(.timeLimit(.minutes(5))) struct DatabaseStatisticsTests {
  @Test func `each commit is measured, and a write that fails is none`() async throws {
    let folder = try TemporaryFolder()
    let database = try folder.database("CREATE TABLE a (x INTEGER PRIMARY KEY)", isDurable: false)
    for _ in 0..<3 { try await database.write { try $0.run("INSERT INTO a DEFAULT VALUES") } }
    await #expect(throws: NotPossible.self) { try await database.write { _ in throw NotPossible("refused") } }
    let statistics = database.statistics
    #expect(statistics.commits.count == 3)
    #expect(statistics.commits.sum > 0)
    #expect(statistics.checkpoints.count == 0)
    #expect(statistics.failedCheckpoints == 0)
    #expect(statistics.waitingWrites == 0)
  }

  @Test func `each checkpoint is measured`() async throws {
    let folder = try TemporaryFolder()
    let database = try folder.database("CREATE TABLE a (x BLOB)", isDurable: false)
    try await database.write { try $0.run("INSERT INTO a VALUES (zeroblob(5000000))") }
    // The checkpoint comes after the write's caller has been resumed, and before the next write.
    try await database.write { try $0.run("INSERT INTO a VALUES (1)") }
    #expect(database.statistics.checkpoints.count == 1)
    #expect(database.statistics.checkpoints.sum > 0)
  }
}
