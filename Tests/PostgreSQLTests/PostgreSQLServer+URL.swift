import Foundation
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

  /// By TLS, with the root that the client trusts.
  func tlsURL(host: String, root: ServerCertificate) throws -> DatabaseURL {
    let file = try keep(root.root.certificate.pem, as: "trusted-\(UUID().uuidString).pem")
    return try DatabaseURL(
      "postgres://postgres@\(host):\(port)/postgres?sslmode=verify-full&sslrootcert=\(file)")
  }

  /// Has the server end the connection that this process of it serves.
  func endConnection(of process: Int64) throws {
    try BlockingConnection(url()).execute("SELECT pg_terminate_backend(\(process))")
  }
}
