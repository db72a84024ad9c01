import Glibc
import Platform
import SQL
import SQLite
import TestSupport
import Testing

@Suite struct DatabaseTests {
  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try Self.open(folder)
  }

  private static func open(_ folder: TemporaryFolder) throws -> Database {
    try folder.database(
      """
      CREATE TABLE a (x INTEGER UNIQUE ON CONFLICT ABORT);
      CREATE TABLE b (x INTEGER REFERENCES a (x) DEFERRABLE INITIALLY DEFERRED);
      """)
  }

  private func values() throws -> [Int64] {
    try database.read { try $0.query("SELECT x FROM a ORDER BY x") { $0.integer(0) } }
  }

  /// Keeps the writer busy until all of `writes` wait, so that they come into one transaction, and has a look
  /// `whileWaiting`; then their results.
  private func together(
    _ writes: [Write], whileWaiting look: () async -> Void = {}
  ) async throws -> [Result<Void, any Error>] {
    let (isBusy, release) = (Gate(), Semaphore())
    async let blocker: Void = database.write { _ in
      isBusy.open()
      release.wait()
    }
    await isBusy.wait()
    let results = try await withThrowingTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
      for (index, write) in writes.enumerated() {
        group.addTask {
          do {
            // Not in one expression: the compiler's optimizer (6.3.1) then loses the index, which reads as 0.
            try await database.write(write)
            return (index, .success(()))
          } catch {
            return (index, .failure(error))
          }
        }
        // In their order, so that a test knows which comes first.
        try await waitUntil { database.waitingWrites > index }
      }
      await look()
      release.signal()
      return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    try await blocker
    return writes.indices.compactMap { results[$0] }
  }

  @Test func `writes that wait share a transaction, and an error is its own write's only`() async throws {
    let results = try await together(
      (0..<100).map { index in
        { connection in
          try connection.run(Query("INSERT INTO a VALUES (?)", .integer(Int64(index))))
          if index == 42 { throw NotPossible("refused") }
        }
      })
    for (index, result) in results.enumerated() {
      if index == 42 {
        #expect(throws: NotPossible.self) { try result.get() }
      } else {
        try result.get()
      }
    }
    #expect(try values() == (0..<100).filter { $0 != 42 })
    #expect(database.commits.count == 2, "the write that kept the writer busy, and all the others")
  }

  @Test func `more writes than a transaction takes go into the next ones`() async throws {
    let results = try await together(
      (0..<600).map { index in { try $0.run(Query("INSERT INTO a VALUES (?)", .integer(Int64(index)))) } })
    for result in results { try result.get() }
    #expect(try values().count == 600)
    #expect(database.commits.count == 4)
  }

  typealias Write = @Sendable (Connection) throws -> Void

  /// Transactions of which nothing is committed, by the code of the error: SQLite rolls everything back, the database is
  /// full, or the commit fails.
  private static let failing: [(code: Int32, writes: [Write])] = [
    (2067, [{ try $0.run("INSERT INTO a VALUES (1)") }, { try $0.run("INSERT OR ROLLBACK INTO a VALUES (1)") }]),
    (
      13,
      [
        { try $0.run("INSERT INTO a VALUES (1)") },
        {
          try $0.run(
            """
            INSERT INTO b WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 100000) SELECT NULL FROM n
            """)
        },
      ]
    ),
    (787, [{ try $0.run("INSERT INTO b VALUES (7)") }, { _ in throw NotPossible("refused") }]),
    (787, [{ try $0.run("INSERT INTO b VALUES (7)") }]),
  ]

  @Test(arguments: failing.indices)
  func `if a transaction fails, each of its writes throws, and the next ones succeed`(_ index: Int) async throws {
    let (code, writes) = Self.failing[index]
    try await database.write { try $0.execute("PRAGMA max_page_count = 1") }
    for result in try await together(writes + (writes.count > 1 ? [{ try $0.run("INSERT INTO a VALUES (2)") }] : [])) {
      let error = #expect(throws: SQLiteError.self) { try result.get() }
      #expect(error?.code == code)
      #expect(error?.isDiskFull == (code == 13))
      #expect(error?.mayBeCommitted == false)
    }
    #expect(try values() == [])
    try await database.write { try $0.run("INSERT INTO a VALUES (3)") }
    #expect(try values() == [3])
  }

  @Test func `a write that ends the transaction by itself is an error, alone and among others`() async throws {
    let rollBack: @Sendable (Connection) throws -> Void = { try $0.run("ROLLBACK") }
    await #expect(throws: SQLiteError.self) { try await database.write(rollBack) }
    for result in try await together([{ try $0.run("INSERT INTO a VALUES (1)") }, rollBack]) {
      #expect(throws: SQLiteError.self) { try result.get() }
    }
    #expect(try values() == [])
  }

  @Test func `beyond the limit a write is refused at once`() async throws {
    let results = try await together(
      Array(repeating: { try $0.run("INSERT INTO b VALUES (NULL)") }, count: Database.maxWaitingWrites)
    ) {
      await #expect(throws: QueueFull.self) { try await database.write { _ in } }
    }
    for result in results { try result.get() }
    #expect(try database.read { try $0.first("SELECT count(*) FROM b") { $0.integer(0) } } == 4096)
  }

  /// Starts writes that wait behind another one, in their order, and returns the names of those that ran, in theirs.
  private func order(of writes: [(name: String, client: Int)]) async throws -> [String] {
    let (isBusy, release, ran, refused) = (Gate(), Semaphore(), Monitor([String]()), Monitor(0))
    async let blocker: Void = database.write { _ in
      isBusy.open()
      release.wait()
    }
    await isBusy.wait()
    await withTaskGroup { group in
      for (index, write) in writes.enumerated() {
        group.addTask {
          do {
            try await database.write(flow: Flow(client: write.client)) { _ in ran.withLock { $0.append(write.name) } }
          } catch {
            refused.withLock { $0 += 1 }
          }
        }
        // Each has arrived: it waits, or another one has given way to it.
        try? await waitUntil { database.waitingWrites + refused.withLock { $0 } > index }
      }
      release.signal()
    }
    try await blocker
    return ran.withLock { $0 }
  }

  @Test func `a client with many writes makes others wait for few of them`() async throws {
    let many = (0..<1000).map { (name: "a\($0)", client: 1) }
    let order = try await order(of: many + [(name: "b", client: 2)])
    #expect(order.count == 1001)
    #expect(order.prefix(3) == ["a0", "b", "a1"])
    #expect(order.filter { $0 != "b" } == many.map(\.name))
  }

  @Test func `at the limit, the client with most writes gives way`() async throws {
    let many = (0..<Database.maxWaitingWrites).map { (name: "a\($0)", client: 1) }
    let order = try await order(of: many + [(name: "b", client: 2)])
    #expect(order.contains("b") && !order.contains(many[many.count - 1].name))
    #expect(order.count == Database.maxWaitingWrites)
  }

  @Test func `a read that leaves a transaction open does not show the next one the past`() async throws {
    try database.read { connection in
      try connection.execute("BEGIN")
      _ = try connection.query("SELECT x FROM a") { $0.integer(0) }
    }
    try await database.write { try $0.run("INSERT INTO a VALUES (1)") }
    #expect(try values() == [1])
  }

  @Test func `a read cannot write, and its error is the caller's`() throws {
    #expect(throws: SQLiteError.self) { try database.read { try $0.run("INSERT INTO a VALUES (1)") } }
    #expect(throws: NotPossible.self) { try database.read { _ in throw NotPossible("refused") } }
    #expect(try values() == [])
  }

  @Test func `reads run side by side, and one inside another`() async throws {
    try await database.write { try $0.run("INSERT INTO a VALUES (1)") }
    let nested = try database.read { outer in
      try outer.query("SELECT x FROM a") { _ in try values() }
    }
    #expect(nested == [[1]])
    let database = database
    try await withThrowingTaskGroup(of: Int64?.self) { group in
      for _ in 0..<100 {
        group.addTask { try database.read { try $0.first("SELECT sum(x) FROM a") { $0.integer(0) } } }
      }
      for try await sum in group { #expect(sum == 1) }
    }
  }

  @Test func `close finishes what waits, folds the log into the file, and refuses what comes after`() async throws {
    let isClosing = Gate()
    let (isLastDone, other) = (Monitor(false), Semaphore())
    async let results = together(
      (0..<50).map { [database] index in
        { connection in
          try connection.run(Query("INSERT INTO a VALUES (?)", .integer(Int64(index))))
          // From the writer's own thread: it cannot wait for itself, but the queue is closed and drained all the same.
          if index == 25 {
            database.close()
            isClosing.open()
            // With half of the writes still to come, the other `close` is called.
            other.wait()
          }
          if index == 49 { isLastDone.withLock { $0 = true } }
        }
      })
    await isClosing.wait()
    let isDone = try await Blocking.run { [database] in
      other.signal()
      database.close()
      return isLastDone.withLock { $0 }
    }
    #expect(isDone)
    for result in try await results { try result.get() }
    #expect(throws: DatabaseError.closed) { try values() }
    await #expect(throws: DatabaseError.closed) { try await database.write { _ in } }

    let reopened = try Self.open(folder)
    #expect(try reopened.read { try $0.first("SELECT count(*) FROM a") { $0.integer(0) } } == 50)
    #expect(folder.exists("test.sqlite3-wal"))
    reopened.close()
    #expect(!folder.exists("test.sqlite3-wal"))
  }

  @Test func `letting go of the database closes it`() throws {
    let other = try TemporaryFolder()
    _ = try Self.open(other)
    #expect(!other.exists("test.sqlite3-wal"))
  }

  // MARK: - Probes

  private func logBytes() throws -> Int {
    try folder.bytes(of: "test.sqlite3-wal").count
  }

  @Test func `a probe writes a page each time, and changes nothing`() async throws {
    for _ in 0..<3 {
      let (commits, bytes) = (database.commits.count, try logBytes())
      try await database.probe()
      #expect(database.commits.count == commits + 1)
      // A frame is a page and 24 bytes (sqlite.org/fileformat2.html#the_write_ahead_log).
      #expect(try logBytes() == bytes + 4096 + 24)
    }
    #expect(try database.read { try $0.integrityProblems() } == [])
    try await database.write { try $0.run("INSERT INTO a VALUES (1)") }
    #expect(try values() == [1])
  }

  @Test func `a probe fails while the file's name leads elsewhere, or once the database is closed`() async throws {
    try folder.move("test.sqlite3", to: "elsewhere")
    await #expect(throws: DatabaseError.moved) { try await database.probe() }
    try folder.write("", to: "test.sqlite3")
    await #expect(throws: DatabaseError.moved) { try await database.probe() }
    try folder.remove("test.sqlite3")
    try folder.move("elsewhere", to: "test.sqlite3")
    try await database.probe()
    database.close()
    await #expect(throws: DatabaseError.closed) { try await database.probe() }
  }
}
