import PostgreSQL
import SQL
import SelfieAPI
import TestSupport
import Testing

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"))
struct `SQL in Sources, for PostgreSQL` {
  /// What only SQLite takes has another text in a file named `+PostgreSQL.swift`.
  @Test func `is prepared by it, but for what is SQLite's alone`() throws {
    let server = try PostgreSQLServer.shared
    try server.run("CREATE DATABASE statements")
    _ = try Migrations.postgreSQL.run(on: DatabaseURL(server.address(of: "statements")), now: 0)
    let all = `SQL in Sources`.ofStores.filter { !$0.contains(" AS BLOB)") }
    #expect(all.count > 100)
    let preparations = all.enumerated().map { "PREPARE statement\($0) AS \($1);" }
    try server.run(preparations.joined(separator: "\n"), on: "statements")
  }
}
