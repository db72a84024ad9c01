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

  @Test func `prepares a statement once`() throws {
    let connection = try PipelinedConnection.open()
    for _ in 0..<3 { try connection.rows("SELECT 'prepared once'::text") }
    let count = try connection.rows(
      "SELECT count(*) FROM pg_prepared_statements WHERE statement = $1", "SELECT 'prepared once'::text")
    #expect(count.first?.integer(0) == 1)
  }

  @Test func `names the constraint that a row violates, and shows no value`() throws {
    let connection = try PipelinedConnection.open()
    try connection.rows("CREATE TEMP TABLE people (email text CONSTRAINT people_by_email UNIQUE)")
    try connection.rows("CREATE TEMP TABLE pets (owner text CONSTRAINT pets_owner REFERENCES people (email))")
    try connection.rows("INSERT INTO people VALUES ($1)", "secret@example.com")
    let error = try #require(connection.error("INSERT INTO people VALUES ($1)", "secret@example.com"))
    #expect(error.kind == .uniqueViolation(constraint: "people_by_email"))
    #expect(!"\(error)".contains("secret"))
    #expect(
      connection.error("INSERT INTO pets VALUES ($1)", "nobody")?.kind == .foreignKeyViolation(constraint: "pets_owner")
    )
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
}
