import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A connection to PostgreSQL` {
  @Test func `answers many queries in flight in their order`() throws {
    let connection = try PipelinedConnection.open()
    var answers: [Int64?] = []
    for number in 0..<500 as Range<Int64> {
      connection.read(Query("SELECT $1::bigint", .integer(number))) { result in
        answers.append(try? result.get().first?.integer(0))
      }
    }
    #expect(connection.inFlightCount == 500)
    connection.wait { answers.count < 500 }
    #expect(answers == (0..<500).map { Int64($0) })
    #expect(connection.inFlightCount == 0)
  }

  @Test func `names the constraint that a row violates, and shows no value`() throws {
    let connection = try PipelinedConnection.open()
    try connection.rows("CREATE TEMP TABLE people (email text CONSTRAINT people_by_email UNIQUE)")
    try connection.rows("CREATE TEMP TABLE pets (owner text CONSTRAINT pets_owner REFERENCES people (email))")
    try connection.rows("INSERT INTO people VALUES ($1)", "secret@example.com")
    let error = try #require(connection.error("INSERT INTO people VALUES ($1)", "secret@example.com"))
    #expect(error.message.contains("people_by_email"))
    #expect(!"\(error)".contains("secret"))
    #expect(connection.error("INSERT INTO pets VALUES ($1)", "nobody")?.message.contains("pets_owner") == true)
    let invalid = try #require(connection.error("SELECT $1::bigint", "secret"))
    #expect(invalid.sqlState == "22P02")
    #expect(!"\(invalid)".contains("secret"))
  }

  @Test func `tells a full disk from a lack of memory, which passes`() throws {
    let connection = try PipelinedConnection.open()
    try connection.rows(
      """
      CREATE FUNCTION pg_temp.fail_with(code text) RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'failed' USING ERRCODE = code; END $$
      """)
    let kinds: [(String, SharedDatabaseError.Kind)] = [("53100", .full), ("53200", .conflict), ("53400", .full)]
    for (code, kind) in kinds {
      #expect(connection.error("SELECT pg_temp.fail_with($1)", .text(code))?.kind == kind)
    }
  }

  @Test func `stops a statement that takes too long, or waits too long for a lock, and goes on`() throws {
    let connection = try PipelinedConnection.open(PostgreSQLServer.shared.url(statementTimeout: 50))
    #expect(connection.error("SELECT pg_sleep(30)")?.kind == .timeout)
    let holder = try BlockingConnection(PostgreSQLServer.shared.url())
    try holder.execute("SELECT pg_advisory_lock(1)")
    let waiter = try PipelinedConnection.open(PostgreSQLServer.shared.url(lockTimeout: 50))
    #expect(waiter.error("SELECT pg_advisory_lock(1)")?.kind == .conflict)
    try holder.execute("SELECT pg_advisory_unlock(1)")
    #expect(try connection.rows("SELECT 1::bigint").first?.integer(0) == 1)
  }

  @Test func `sends a query again whose statement the server has lost, or whose table was altered`() throws {
    let connection = try PipelinedConnection.open()
    try connection.rows("CREATE TEMP TABLE altered (id bigint)")
    try connection.rows("INSERT INTO altered VALUES (1)")
    #expect(try connection.rows("SELECT * FROM altered").count == 1)
    try connection.rows("ALTER TABLE altered ADD COLUMN name text")
    #expect(try connection.rows("SELECT * FROM altered").first?.isNull(1) == true)
    for _ in 0..<2 {
      try connection.rows("DEALLOCATE ALL")
      try connection.rows("INSERT INTO altered VALUES (1)")
    }
    for _ in 0..<2 { #expect(try connection.rows("SELECT * FROM altered").count == 3) }
    // From then on they are prepared again.
    let again = try connection.rows(
      "SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT * FROM altered'")
    #expect(again.first?.integer(0) == 1)
  }

  @Test func `sends a query again that the server has undone because of another, but once only`() throws {
    let connection = try PipelinedConnection.open()
    try connection.rows("CREATE TEMP SEQUENCE calls")
    // A sequence does not go back with a transaction.
    try connection.rows(
      """
      CREATE FUNCTION pg_temp.fail_first(failures bigint) RETURNS bigint LANGUAGE plpgsql AS $$
      BEGIN
        IF nextval('calls') <= failures THEN RAISE EXCEPTION 'again' USING ERRCODE = 'serialization_failure'; END IF;
        RETURN 1;
      END $$
      """)
    #expect(try connection.rows("SELECT pg_temp.fail_first($1)", 1).first?.integer(0) == 1)
    #expect(connection.error("SELECT pg_temp.fail_first($1)", 9)?.kind == .conflict)
    #expect(try connection.rows("SELECT nextval('calls')").first?.integer(0) == 5)
  }

  @Test func `takes the rest of a TLS record that was longer than the room for it`() throws {
    let relay = try TLSRelay(to: PostgreSQLServer.shared.socketFolder)
    let url = try DatabaseURL("postgres://postgres@127.0.0.1:\(relay.port)/postgres?sslmode=require")
    let connection = try PipelinedConnection.open(url, responseTimeout: 1000)
    // A row is not read to its end with the first record, and the second one has almost 16 KB.
    let rows = try connection.rows("SELECT repeat('a', 1000) FROM generate_series(1, 20)")
    #expect(rows.count == 20)
  }

  @Test func `tells the server its name, its timeouts and its encoding`() throws {
    let row = try PipelinedConnection.open().rows(
      """
      SELECT current_setting('application_name'), current_setting('statement_timeout'),
        current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout'),
        current_setting('client_encoding'), current_setting('transaction_isolation')
      """
    ).first
    #expect((0..<6).map { row?.text($0) } == ["selfie-server", "5s", "2s", "30s", "UTF8", "read committed"])
  }

  // MARK: - Values

  @Test func `gives values back as they were sent`() throws {
    let connection = try PipelinedConnection.open()
    let text = "Grüße, \"Welt\" \\ ' 👩‍🚀"
    let bytes = (0...255).map { UInt8($0) }
    let row = try #require(
      try connection.rows(
        "SELECT $1::bigint, $2::text, $3::bytea, $4::text, $5::bytea, $6::text, $7::bigint",
        .integer(.min), .text(text), .blob(bytes), .null, .blob([]), .text(""), .null
      ).first)
    #expect(row.integer(0) == .min)
    #expect(row.text(1) == text)
    #expect(row.blob(2) == bytes)
    #expect(row.text(3) == nil)
    #expect(row.blob(4) == [])
    #expect(!row.isNull(4))
    #expect(row.text(5) == "")
    #expect(row.isNull(6))
    #expect(row.withTextBytes(1) { Array($0) } == Array(text.utf8))
  }

  @Test func `reads integers of each width, with their signs`() throws {
    let row = try #require(
      try PipelinedConnection.open().rows(
        "SELECT $1::smallint, $2::integer, -1, $3::bigint, pg_sleep(0)", -2, 70_000, .integer(.max)
      ).first)
    #expect((0..<4).map { row.integer($0) } == [-2, 70_000, -1, .max])
    #expect(row.text(4) == "", "nothing, which the function returns")
  }

  @Test func `takes a type that rows cannot show for a mistake of the query`() throws {
    let connection = try PipelinedConnection.open()
    let queries: [StaticString] = [
      "SELECT 1.5::numeric", "SELECT sum(n) FROM (VALUES (1::bigint)) AS one (n)", "SELECT 1::bigint, now()",
      "SELECT true",
    ]
    for sql in queries { #expect(connection.error(sql)?.kind == .bug, "\(sql)") }
    #expect(try connection.rows("SELECT 1::bigint").first?.integer(0) == 1)
  }

  @Test func `refuses a text with a U+0000 before it is sent`() throws {
    let connection = try PipelinedConnection.open()
    #expect(connection.error("SELECT $1::text", "a\0b")?.kind == .nulInText)
    #expect(connection.inFlightCount == 0)
    #expect(try connection.rows("SELECT $1::text", "ab").first?.text(0) == "ab")
  }

  @Test func `takes large values, and refuses too large ones before they are sent`() throws {
    let connection = try PipelinedConnection.open()
    let bytes = [UInt8](repeating: 7, count: 8 << 20)
    let echoed = try connection.rows("SELECT $1::bytea", .blob(bytes)).first?.blob(0)
    #expect(echoed == bytes)
    #expect(connection.error("SELECT $1::bytea", .blob([UInt8](repeating: 0, count: (16 << 20) + 1)))?.kind == .bug)
    #expect(connection.failure == nil)
  }

  // MARK: - Loss

  private func serverProcess(of connection: PipelinedConnection) throws -> Int64 {
    try #require(try connection.rows("SELECT pg_backend_pid()").first?.integer(0))
  }

  @Test func `fails what was sent when it is lost`() throws {
    let connection = try PipelinedConnection.open()
    let process = try serverProcess(of: connection)
    var outcomes: [SharedDatabaseError?] = []
    connection.read(Query("SELECT pg_sleep(30)")) { outcomes.append($0.error) }
    connection.read(Query("SELECT 1")) { outcomes.append($0.error) }
    try PostgreSQLServer.shared.endConnection(of: process)
    connection.wait { outcomes.count < 2 }
    #expect(outcomes.map { $0?.kind } == [.away, .away])
    #expect(connection.failure != nil)
    #expect(connection.descriptor == nil)
    #expect(connection.error("SELECT 1")?.kind == .away)
  }

  @Test func `notices that it is lost when nothing is in flight`() throws {
    let connection = try PipelinedConnection.open()
    let process = try serverProcess(of: connection)
    try PostgreSQLServer.shared.endConnection(of: process)
    connection.wait { connection.failure == nil }
    #expect(connection.deadline == nil)
  }

  // MARK: - Reads that share a Sync

  private final class Outcomes {
    var texts: [String: String] = [:]

    /// A read of one number. Notes it, or the code of the error.
    func read(_ name: String, _ sql: StaticString, _ values: Value...) throws -> Read {
      Read(sql: sql, values: try EncodedParameters(values)) { [self] result in
        switch result {
        case .success(let rows): texts[name] = "\(rows.first?.integer(0) ?? -1)"
        case .failure(let error): texts[name] = error.sqlState ?? "\(error.kind)"
        }
      }
    }
  }

  private func run(_ reads: [Read], on connection: PipelinedConnection, _ outcomes: Outcomes) {
    connection.submit(reads, now: monotonicMilliseconds())
    connection.wait { outcomes.texts.count < reads.count }
    #expect(connection.inFlightCount == 0)
  }

  @Test func `keeps reads that share a Sync from the errors of others`() throws {
    let (connection, outcomes) = (try PipelinedConnection.open(), Outcomes())
    let reads = try [
      outcomes.read("first", "SELECT 1::bigint"), outcomes.read("second", "SELECT 10 / $1::bigint", 5),
      outcomes.read("fails", "SELECT 10 / $1::bigint", 0), outcomes.read("passed over", "SELECT 10 / $1::bigint", 2),
      outcomes.read("cannot be shown", "SELECT 1.5"),
      outcomes.read("fails, too", "SELECT nothing FROM nowhere"), outcomes.read("last", "SELECT 7::bigint"),
    ]
    run(reads, on: connection, outcomes)
    #expect(
      outcomes.texts == [
        "first": "1", "second": "2", "fails": "22012", "passed over": "5",
        "cannot be shown": "bug", "fails, too": "42P01", "last": "7",
      ])
  }

  @Test func `finds statements for such reads that the server has forgotten`() throws {
    let (connection, outcomes) = (try PipelinedConnection.open(), Outcomes())
    for _ in 0..<3 {
      outcomes.texts = [:]
      try run(
        [
          outcomes.read("a", "SELECT 1::bigint"), outcomes.read("b", "SELECT 2::bigint"),
          outcomes.read("c", "SELECT 2::bigint"),
        ], on: connection, outcomes)
      #expect(outcomes.texts == ["a": "1", "b": "2", "c": "2"])
      try connection.rows("DEALLOCATE ALL")
    }
  }

  @Test func `answers such reads, or tells them that the server is away, when it ends the connection`() throws {
    let (connection, outcomes) = (try PipelinedConnection.open(), Outcomes())
    try run(
      [
        outcomes.read("before", "SELECT 1::bigint"),
        outcomes.read("the end", "SELECT CAST(pg_terminate_backend(pg_backend_pid()) AS int)::bigint"),
        outcomes.read("behind", "SELECT 2::bigint"),
      ], on: connection, outcomes)
    #expect(outcomes.texts["before"] == "1")
    #expect(["57P01", "away"].contains(outcomes.texts["behind"]))
    #expect(connection.failure != nil)
  }
}
