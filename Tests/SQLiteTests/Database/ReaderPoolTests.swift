import Platform
import SQL
import SQLite
import TestSupport
import Testing

@Suite struct ReaderPoolTests {
  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try folder.database("CREATE TABLE a (x INTEGER)")
  }

  /// Runs `body` as the second turn of an event loop, on a thread of its own.
  private func turn<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await onThread { database in
      database.endSnapshot()
      defer { database.endSnapshot() }
      return try body(database)
    }
  }

  /// Runs `body` on a thread of its own, and returns once the thread has ended.
  private func onThread<T: Sendable>(_ body: @escaping @Sendable (Database) throws -> T) async throws -> T {
    try await Blocking.run { [database] in
      let result = Monitor<Result<T, any Error>?>(nil)
      try Thread(named: "turn") {
        let made = Result { try body(database) }
        result.withLock { $0 = made }
      }.join()
      return try result.wait { $0 }.get()
    }
  }

  private static func count(_ database: Database) throws -> Int64 {
    try database.read { try $0.first("SELECT count(*) FROM a") { $0.integer(0) } ?? -1 }
  }

  private static func insert(into database: Database) async throws {
    try await database.write { try $0.run("INSERT INTO a VALUES (1)") }
  }

  /// Writes from another thread, and blocks until that is done. Only for threads of a test's own: if it blocked the
  /// threads that tasks run on, the write would never come.
  private static func insertBlocking(into database: Database) {
    let isDone = Semaphore()
    Task {
      defer { isDone.signal() }
      try await insert(into: database)
    }
    isDone.wait()
  }

  @Test func `reads of one turn share a connection and a snapshot`() async throws {
    let isShared = try await turn { database in
      let first = try database.read { (ObjectIdentifier($0), $0.isInTransaction) }
      let second = try database.read { (ObjectIdentifier($0), $0.isInTransaction) }
      return first == second && first.1
    }
    #expect(isShared)
  }

  @Test func `each sees what was committed before it, in the middle of a turn too`() async throws {
    let counts = try await turn { database in
      try (0..<5).map { _ in
        let counts = [try Self.count(database), try Self.count(database)]
        Self.insertBlocking(into: database)
        return counts
      }
    }
    #expect(counts == (0..<5).map { [$0, $0] })
  }

  @Test func `a read within a read sees it too, on a connection of its own`() async throws {
    let inner = try await turn { database in
      try database.read { outer in
        Self.insertBlocking(into: database)
        return try database.read { inner in
          (inner !== outer, try inner.first("SELECT count(*) FROM a") { $0.integer(0) })
        }
      }
    }
    #expect(inner.0)
    #expect(inner.1 == 1)
  }

  @Test func `after an error the next read begins anew`() async throws {
    let count = try await turn { database in
      #expect(throws: NotPossible.self) {
        try database.read { connection in
          _ = try connection.first("SELECT x FROM a") { $0.integer(0) }
          throw NotPossible("refused")
        }
      }
      #expect(throws: SQLiteError.self) { try database.read { try $0.run("INSERT INTO a VALUES (1)") } }
      return try Self.count(database)
    }
    #expect(count == 0)
  }

  @Test func `reads on a thread that ends no turns share nothing`() async throws {
    let isInTransaction = try await onThread { try $0.read { $0.isInTransaction } }
    #expect(!isInTransaction)
  }

  @Test func `nothing of a snapshot is left after the turn: the log is folded into the file at the end`() async throws {
    try await Self.insert(into: database)
    #expect(try await turn(Self.count) == 1)
    #expect(try database.read { $0.isInTransaction } == false)
    database.close()
    #expect(!folder.exists("test.sqlite3-wal"))
    #expect(throws: DatabaseError.closed) { try database.read { _ in } }
  }
}
