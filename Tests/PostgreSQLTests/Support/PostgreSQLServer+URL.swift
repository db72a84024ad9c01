import Foundation
import SQL
import TestSupport

@testable import PostgreSQL

extension PostgreSQLServer {
  func url(
    statementTimeout: Int64 = 5000, lockTimeout: Int64 = 2000, parameters: String = ""
  ) throws -> DatabaseURL {
    try DatabaseURL(
      "postgres:///postgres?host=\(socketFolder)&port=\(port)&user=postgres\(parameters)",
      statementTimeout: statementTimeout, lockTimeout: lockTimeout)
  }

  /// Makes the table that every write needs, unless it is there.
  static func createCommits(_ url: DatabaseURL) throws {
    let migration = "\(checkout)/Migrations/PostgreSQL/0002_create_commits.sql"
    let sql = try String(contentsOfFile: migration, encoding: .utf8)
    // One at a time: of two at once, one would fail.
    try BlockingConnection(url).execute(
      "SELECT pg_advisory_xact_lock(3); \(sql.replacing("CREATE TABLE", with: "CREATE TABLE IF NOT EXISTS"))")
  }

  /// Has the server end the connection that this process of it serves.
  func endConnection(of process: Int64) throws {
    try BlockingConnection(url()).execute("SELECT pg_terminate_backend(\(process))")
  }
}
