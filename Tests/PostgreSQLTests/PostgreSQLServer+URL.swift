import TestSupport

@testable import PostgreSQL

extension PostgreSQLServer {
  func url(
    folder: String? = nil, statementTimeout: Int64 = 5000, lockTimeout: Int64 = 2000, parameters: String = ""
  ) throws -> DatabaseURL {
    try DatabaseURL(
      "postgres:///postgres?host=\(folder ?? socketFolder)&port=\(port)&user=postgres\(parameters)",
      statementTimeout: statementTimeout, lockTimeout: lockTimeout)
  }

  /// Has the server end the connection that this process of it serves.
  func endConnection(of process: Int64) throws {
    try BlockingConnection(url()).execute("SELECT pg_terminate_backend(\(process))")
  }
}
