import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(1)))
struct `Values of PostgreSQL` {
  @Test func `come back as they were sent`() throws {
    let connection = try Connection.open()
    let text = "Grüße, \"Welt\" \\ ' 👩‍🚀"
    let bytes = (0...255).map { UInt8($0) }
    let row = try #require(
      try connection.rows(
        "SELECT $1::bigint, $2::text, $3::bytea, $4::boolean, $5::text, $6::bytea, $7::text, $8::boolean",
        .integer(.min), .text(text), .blob(bytes), .boolean(true), .null, .blob([]), .text(""), .boolean(false)
      ).first)
    #expect(try row.integer(0) == .min)
    #expect(try row.text(1) == text)
    #expect(try row.blob(2) == bytes)
    #expect(try row.boolean(3) == true)
    #expect(try row.text(4) == nil)
    #expect(try row.blob(5) == [])
    #expect(try row.text(6) == "")
    #expect(try row.boolean(7) == false)
    #expect(try row.withTextBytes(1) { Array($0) } == Array(text.utf8))
  }

  @Test func `are integers of each width, with their signs`() throws {
    let row = try #require(
      try Connection.open().rows("SELECT $1::smallint, $2::integer, -1, $3::bigint", -2, 70_000, .integer(.max)).first)
    #expect(try row.integer(0) == -2)
    #expect(try row.integer(1) == 70_000)
    #expect(try row.integer(2) == -1)
    #expect(try row.integer(3) == .max)
  }

  @Test func `of another type, or of no column, throw`() throws {
    let row = try #require(try Connection.open().rows("SELECT 'a'::text, 1.5::numeric").first)
    #expect(throws: PostgreSQLError.self) { try row.integer(0) }
    #expect(throws: PostgreSQLError.self) { try row.blob(0) }
    #expect(throws: PostgreSQLError.self) { try row.integer(1) }
    #expect(throws: PostgreSQLError.self) { try row.text(2) }
    #expect(throws: PostgreSQLError.self) { try row.text(-1) }
  }

  @Test func `with a U+0000 in a text are refused before they are sent`() throws {
    let connection = try Connection.open()
    #expect(connection.error("SELECT $1::text", "a\0b")?.kind == .nulInText)
    #expect(connection.inFlightCount == 0)
    #expect(try connection.rows("SELECT $1::text", "ab").first?.text(0) == "ab")
  }

  @Test func `may be large, and too large ones are refused before they are sent`() throws {
    let connection = try Connection.open()
    let bytes = [UInt8](repeating: 7, count: 8 << 20)
    let echoed = try connection.rows("SELECT $1::bytea", .blob(bytes)).first?.blob(0)
    #expect(echoed == bytes)
    #expect(connection.error("SELECT $1::bytea", .blob([UInt8](repeating: 0, count: (16 << 20) + 1)))?.kind == .bug)
    #expect(connection.state == .ready)
  }

  @Test func `come in ten thousand rows`() throws {
    let rows = try Connection.open().rows("SELECT n, 'row ' || n FROM generate_series(1, $1::bigint) AS n", 10_000)
    #expect(rows.count == 10_000)
    #expect(try rows.map { try $0.integer(0) } == (1...10_000).map { Int64($0) })
    #expect(try rows.last?.text(1) == "row 10000")
  }
}
