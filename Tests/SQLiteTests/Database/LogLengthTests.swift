import Glibc
import Platform
import SQL
import SQLite
import TestSupport
import Testing

/// The log stays below eight times the length at which a checkpoint is worthwhile, whatever is read.
@Suite(.timeLimit(.minutes(5))) struct LogLengthTests {
  private static let rows = 1_000
  private static let maxLogBytes = 8 * 1_000 * 4_120

  /// A log that never began anew would be a quarter longer than the limit after so many of 412,000 bytes.
  private static let transactions = 100

  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try folder.database("CREATE TABLE a (x INTEGER PRIMARY KEY, filler BLOB)", isDurable: false)
  }

  private func fill() async throws {
    try await database.write { connection in
      for row in 1...Self.rows {
        try connection.run(Query("INSERT INTO a VALUES (?, randomblob(3500))", .integer(Int64(row))))
      }
    }
  }

  private func logBytes() -> Int {
    var status = stat()
    return stat(folder.databasePath + "-wal", &status) == 0 ? Int(status.st_size) : 0
  }

  /// Writes 400 KB in each transaction, and returns the greatest length of the log meanwhile.
  private func write(transactions: Int) async throws -> Int {
    var longest = 0
    for number in 0..<transactions {
      let first = Int64(number % (Self.rows / 100) * 100)
      try await database.write { connection in
        try connection.run(
          Query(
            "UPDATE a SET filler = randomblob(3500) WHERE x BETWEEN ? AND ?", .integer(first + 1), .integer(first + 100)
          ))
      }
      longest = max(longest, logBytes())
    }
    return longest
  }

  /// While a test writes, there are two threads, each of which begins its next read as soon as one has ended.
  private func whileReading<Result>(
    _ read: @escaping @Sendable (Database) throws -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    let readers = Monitor((areOver: false, reads: 0, failures: 0))
    let threads = try (0..<2).map { _ in
      try Thread(named: "reader") { [database] in
        while !readers.withLock(\.areOver) {
          let hasFailed = (try? read(database)) == nil
          readers.withLock { ($0.reads, $0.failures) = ($0.reads + 1, $0.failures + (hasFailed ? 1 : 0)) }
        }
      }
    }
    defer {
      readers.withLock { $0.areOver = true }
      for thread in threads { thread.join() }
      #expect(readers.withLock { $0.failures == 0 && $0.reads > 0 })
    }
    return try await body()
  }

  private static func look(_ connection: Connection) throws {
    _ = try connection.first("SELECT sum(length(filler)) FROM a") { $0.integer(0) }
  }

  @Test func `while long lists are read without a pause`() async throws {
    try await fill()
    let longest = try await whileReading({ try $0.read { reader in try reader.snapshot { try Self.look(reader) } } }) {
      try await write(transactions: Self.transactions)
    }
    #expect(longest < Self.maxLogBytes)
    #expect(database.checkpoints.count > 0 && database.failedCheckpoints == 0)
  }

  @Test func `while event loops read in turns that hardly end`() async throws {
    try await fill()
    let longest = try await whileReading({ database in
      database.endSnapshot()
      for _ in 0..<100 { try database.read { try Self.look($0) } }
      database.endSnapshot()
    }) { try await write(transactions: Self.transactions) }
    #expect(longest < Self.maxLogBytes)
  }

  @Test func `a read that does not end holds up writes only so long, and then the log begins anew`() async throws {
    try await fill()
    let reader = try folder.connection(.readOnly)
    try reader.execute("BEGIN")
    try Self.look(reader)
    let held = try await write(transactions: 60)
    reader.close()
    #expect(try await write(transactions: 60) < held + Self.maxLogBytes / 4)
    #expect(database.checkpointFailure == nil)
  }
}
