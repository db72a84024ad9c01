import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `A connection to PostgreSQL` {
  @Test func `names the constraint that a row violates, and shows no value`() throws {
    let connection = try BlockingConnection.open()
    try connection.fetch("CREATE TEMP TABLE people (email text CONSTRAINT people_by_email UNIQUE)")
    try connection.fetch("CREATE TEMP TABLE pets (owner text CONSTRAINT pets_owner REFERENCES people (email))")
    try connection.fetch("INSERT INTO people VALUES ($1)", "secret@example.com")
    let error = try #require(connection.error("INSERT INTO people VALUES ($1)", "secret@example.com"))
    #expect(error.message.contains("people_by_email"))
    #expect(!"\(error)".contains("secret"))
    #expect(connection.error("INSERT INTO pets VALUES ($1)", "nobody")?.message.contains("pets_owner") == true)
    let invalid = try #require(connection.error("SELECT $1::bigint", "secret"))
    #expect(invalid.sqlState == "22P02")
    #expect(!"\(invalid)".contains("secret"))
  }

  @Test func `tells a full disk from a lack of memory, which passes`() throws {
    let connection = try BlockingConnection.open()
    try connection.fetch(
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
    let connection = try BlockingConnection.open(PostgreSQLServer.shared.url(statementTimeout: 50))
    #expect(connection.error("SELECT pg_sleep(30)")?.kind == .timeout)
    let holder = try BlockingConnection(PostgreSQLServer.shared.url())
    try holder.execute("SELECT pg_advisory_lock(1)")
    let waiter = try BlockingConnection.open(PostgreSQLServer.shared.url(lockTimeout: 50))
    #expect(waiter.error("SELECT pg_advisory_lock(1)")?.kind == .conflict)
    try holder.execute("SELECT pg_advisory_unlock(1)")
    #expect(try connection.fetch("SELECT 1::bigint").first?.integer(0) == 1)
  }

  @Test func `takes the rest of a TLS record that was longer than the room for it`() throws {
    let relay = try TLSRelay(to: PostgreSQLServer.shared.socketFolder)
    let url = try DatabaseURL("postgres://postgres@127.0.0.1:\(relay.port)/postgres?sslmode=require")
    let connection = try BlockingConnection.open(url)
    // A row is not read to its end with the first record, and the second one has almost 16 KB.
    let rows = try connection.fetch("SELECT repeat('a', 1000) FROM generate_series(1, 20)")
    #expect(rows.count == 20)
  }

  @Test func `tells the server its name, its timeouts and its encoding`() throws {
    let row = try BlockingConnection.open().fetch(
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
    let connection = try BlockingConnection.open()
    let text = "Grüße, \"Welt\" \\ ' 👩‍🚀"
    let bytes = (0...255).map { UInt8($0) }
    let row = try #require(
      try connection.fetch(
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
      try BlockingConnection.open().fetch(
        "SELECT $1::smallint, $2::integer, -1, $3::bigint, pg_sleep(0)", -2, 70_000, .integer(.max)
      ).first)
    #expect((0..<4).map { row.integer($0) } == [-2, 70_000, -1, .max])
    #expect(row.text(4) == "", "nothing, which the function returns")
  }

  @Test func `reads a sum of integers, and of one that is too large the nearest`() throws {
    let connection = try BlockingConnection.open()
    let sums: [Int64] = [
      0, 1, -1, 9999, 10_000, 10_001, -10_000, 100_000_000, 1_000_200_030_004, .max, .min, .max - 1, .min + 1,
    ]
    for sum in sums {
      let row = try connection.fetch("SELECT sum($1::bigint), 'text', '\\x01'::bytea, NULL, 7", .integer(sum)).first
      #expect(row?.integer(0) == sum)
      #expect(row?.text(1) == "text" && row?.blob(2) == [1] && row?.isNull(3) == true && row?.integer(4) == 7)
    }
    let large = try connection.fetch(
      "SELECT sum(n), -sum(n), sum(1.5 * 3) FROM (VALUES ($1::bigint), (1)) AS two (n)", .integer(.max))
    #expect((0..<3).map { large.first?.integer($0) } == [.max, .min, 9])
    #expect(try connection.fetch("SELECT sum(n) FROM (VALUES (1)) AS one (n) WHERE n > 1").first?.isNull(0) == true)
  }

  @Test func `takes a type that rows cannot show for a mistake of the query`() throws {
    let connection = try BlockingConnection.open()
    let queries: [StaticString] = [
      "SELECT 1.5::double precision", "SELECT 1::bigint, now()", "SELECT true",
    ]
    for sql in queries { #expect(connection.error(sql)?.kind == .bug, "\(sql)") }
    #expect(try connection.fetch("SELECT 1::bigint").first?.integer(0) == 1)
  }

  @Test func `refuses a text with a U+0000 before it is sent`() throws {
    let connection = try BlockingConnection.open()
    #expect(connection.error("SELECT $1::text", "a\0b")?.kind == .nulInText)
    #expect(try connection.fetch("SELECT $1::text", "ab").first?.text(0) == "ab")
  }

  @Test func `takes large values, and refuses too large ones before they are sent`() throws {
    let connection = try BlockingConnection.open()
    let bytes = [UInt8](repeating: 7, count: 8 << 20)
    let echoed = try connection.fetch("SELECT $1::bytea", .blob(bytes)).first?.blob(0)
    #expect(echoed == bytes)
    #expect(connection.error("SELECT $1::bytea", .blob([UInt8](repeating: 0, count: (16 << 20) + 1)))?.kind == .bug)
    #expect(!connection.isLost)
  }
}

extension BlockingConnection {
  static func open(_ url: DatabaseURL? = nil) throws -> BlockingConnection {
    try BlockingConnection(
      url ?? PostgreSQLServer.shared.url(), name: "selfie-server", responseTimeout: 1000, prepares: true)
  }

  @discardableResult
  fileprivate func fetch(_ sql: StaticString, _ values: Value...) throws(SharedDatabaseError) -> Rows {
    try rows(Query(sql, values: values))
  }

  fileprivate func error(_ sql: StaticString, _ values: Value...) -> SharedDatabaseError? {
    do throws(SharedDatabaseError) {
      _ = try rows(Query(sql, values: values))
      return nil
    } catch {
      return error
    }
  }
}
