import Platform
import SQL
import TestSupport
import Testing

@testable import PostgreSQL

@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(10)))
struct `The checks of a database at the start` {
  private static let migrations = Migrations([Migration(name: "0001_first", sql: "CREATE TABLE first (id bigint)")])

  private func execute(_ sql: String) throws {
    try BlockingConnection(PostgreSQLServer.shared.url()).execute(sql)
  }

  private func run(_ parameters: String, connections: Int = 10) throws -> StartResult {
    let url = try PostgreSQLServer.shared.url(parameters: "&\(parameters)")
    return try Self.migrations.start(on: url, connections: connections, now: 5)
  }

  @Test func `bring the schema up to date, and warn of too few connections`() throws {
    try execute("CREATE DATABASE fit")
    let start = try run("dbname=fit")
    #expect(start.applied == ["0001_first"])
    // The tests' server does not write to the disk.
    #expect(start.warnings.map { $0.prefix { $0 != ":" } } == ["the database has fsync = off"])
    let again = try run("dbname=fit", connections: 1000)
    #expect(again.applied == [])
    #expect(again.warnings.contains { $0.contains("raise max_connections") })
  }

  @Test(.enabled(if: PgBouncer.isInstalled, "PgBouncer is not installed"))
  func `refuse another isolation of transactions where a PgBouncer keeps them from changing it`() throws {
    try execute("CREATE DATABASE serial")
    try execute("ALTER DATABASE serial SET default_transaction_isolation = 'serializable'")
    #expect(try run("dbname=serial").applied == ["0001_first"])
    let bouncer = try PgBouncer(before: PostgreSQLServer.shared, maxConnections: 3)
    let url = try DatabaseURL(bouncer.address(of: "serial"))
    let error = #expect(throws: ConfigurationError.self) {
      try Self.migrations.start(on: url, connections: 1, now: 5)
    }
    #expect(error?.description.contains("read committed") == true)
  }

  @Test(.enabled(if: PgBouncer.isInstalled, "PgBouncer is not installed"))
  func `name the way out at once where a pooler refuses options`() throws {
    let bouncer = try PgBouncer(before: PostgreSQLServer.shared, maxConnections: 3, ignoresOptions: false)
    let url = try DatabaseURL(bouncer.address(of: "postgres"))
    let error = #expect(throws: SharedDatabaseError.self) {
      try Self.migrations.start(on: url, connections: 1, now: 5)
    }
    #expect(error?.mayPass == false)
    #expect(
      error?.message.contains("For PgBouncer, set ignore_startup_parameters = options; at Neon or Supabase") == true)
  }

  @Test(arguments: [
    ("dbname=nowhere", "3D000", false), ("user=nobody", "28000", false), ("host=/nowhere", nil, true),
    ("sslmode=require&host=127.0.0.1&port=9", nil, true),
  ])
  func `tell what may pass from what is wrong`(parameters: String, sqlState: String?, mayPass: Bool) throws {
    let error = #expect(throws: SharedDatabaseError.self) { try run(parameters) }
    #expect(error?.sqlState == sqlState && error?.mayPass == mayPass, "\(String(describing: error))")
  }

  @Test(arguments: [
    ("FATAL:  57P03: the database system is starting up", "FATAL:  the database system is starting up", true),
    ("FATAL:  53300: too many clients already", "FATAL:  too many clients already", true),
    ("FATAL:  28P01: password authentication failed", "FATAL:  password authentication failed", false),
    ("FATAL:  42501: permission denied for database", "FATAL:  permission denied for database", false),
    ("fe_sendauth: no password supplied", nil, false),
    ("SSL error: certificate verify failed", nil, false),
  ])
  func `know an error of connecting by its code`(text: String, message: String?, mayPass: Bool) {
    let address = "connection to server at \"h\", port 54321 failed: "
    let error = SharedDatabaseError.ofConnecting(address + text)
    #expect(error.mayPass == mayPass && error.message == address + (message ?? text))
  }

  @Test func `refuse another encoding than UTF-8, and a database that only reads`() throws {
    try execute("CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LOCALE 'C'")
    let encoding = #expect(throws: ConfigurationError.self) { try run("dbname=latin") }
    #expect(encoding?.description.contains("the encoding must be UTF8") == true)
    let readOnly = #expect(throws: SharedDatabaseError.self) {
      try run("options=-c%20default_transaction_read_only%3Don")
    }
    #expect(readOnly?.kind == .away)
  }
}
