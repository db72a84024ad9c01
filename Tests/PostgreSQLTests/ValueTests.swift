import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `Values of PostgreSQL` {
  @Test func `come back as they were sent`() throws {
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

  @Test func `are integers of each width, with their signs`() throws {
    let row = try #require(
      try PipelinedConnection.open().rows(
        "SELECT $1::smallint, $2::integer, -1, $3::bigint", -2, 70_000, .integer(.max)
      ).first)
    #expect((0..<4).map { row.integer($0) } == [-2, 70_000, -1, .max])
  }

  @Test func `of a type that rows cannot show are a mistake of the query`() throws {
    let connection = try PipelinedConnection.open()
    let queries: [StaticString] = [
      "SELECT 1.5::numeric", "SELECT sum(n) FROM (VALUES (1::bigint)) AS one (n)", "SELECT 1::bigint, now()",
      "SELECT true",
    ]
    for sql in queries { #expect(connection.error(sql)?.kind == .bug, "\(sql)") }
    #expect(try connection.rows("SELECT 1::bigint").first?.integer(0) == 1)
  }

  @Test func `that a function does not return are empty`() throws {
    #expect(try PipelinedConnection.open().rows("SELECT pg_sleep(0)").first?.text(0) == "")
  }

  @Test func `with a U+0000 in a text are refused before they are sent`() throws {
    let connection = try PipelinedConnection.open()
    #expect(connection.error("SELECT $1::text", "a\0b")?.kind == .nulInText)
    #expect(connection.inFlightCount == 0)
    #expect(try connection.rows("SELECT $1::text", "ab").first?.text(0) == "ab")
  }

  @Test func `may be large, and too large ones are refused before they are sent`() throws {
    let connection = try PipelinedConnection.open()
    let bytes = [UInt8](repeating: 7, count: 8 << 20)
    let echoed = try connection.rows("SELECT $1::bytea", .blob(bytes)).first?.blob(0)
    #expect(echoed == bytes)
    #expect(connection.error("SELECT $1::bytea", .blob([UInt8](repeating: 0, count: (16 << 20) + 1)))?.kind == .bug)
    #expect(connection.failure == nil)
  }
}
