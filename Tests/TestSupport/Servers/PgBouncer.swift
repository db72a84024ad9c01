import Foundation

/// A PgBouncer of a test, in front of a PostgreSQL server, in transaction mode. It ends with the last reference to it.
package final class PgBouncer: Sendable {
  private static let executable = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  package static let isInstalled = executable != nil

  private static let port = 6432

  private let folder: TemporaryFolder
  private let program: Program
  private let log: FileHandle

  /// Returns once it listens.
  ///
  /// - Parameters:
  ///   - maxConnections: how many it keeps to each database.
  ///   - ignoresOptions: whether clients may send the parameter `options`.
  package init(before server: PostgreSQLServer, maxConnections: Int, ignoresOptions: Bool = true) throws {
    folder = try TemporaryFolder()
    try folder.write(
      """
      [databases]
      * = host=\(server.socketFolder) port=\(server.port) user=postgres
      [pgbouncer]
      unix_socket_dir = \(folder.path)
      listen_port = \(Self.port)
      auth_type = any
      pool_mode = transaction
      default_pool_size = \(maxConnections)
      \(ignoresOptions ? "ignore_startup_parameters = options" : "")
      log_connections = 0
      log_disconnections = 0
      log_stats = 0

      """, to: "pgbouncer.ini")
    var arguments = ["\(folder.path)/pgbouncer.ini"]
    // It refuses to run as root.
    if geteuid() == 0, let postgres = getpwnam("postgres") {
      chown(folder.path, postgres.pointee.pw_uid, postgres.pointee.pw_gid)
      arguments += ["-u", "postgres"]
    }
    let output = try ProgramPipe()
    program = try Program(
      Self.executable ?? "", arguments, environment: ["PATH": "/usr/bin:/bin"], output: output.writing,
      errors: output.writing)
    close(output.writing)
    log = FileHandle(fileDescriptor: output.reading, closeOnDealloc: true)
    var said = Data()
    while !said.contains("process up") {
      let more = log.availableData
      guard !more.isEmpty else { throw NotPossible(String(decoding: said, as: UTF8.self)) }
      said += more
    }
  }

  /// The address of a database behind it.
  package func address(of database: String) -> String {
    "postgres:///\(database)?host=\(folder.path)&port=\(Self.port)&user=postgres"
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
