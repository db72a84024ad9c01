import Foundation
import Platform
import TestSupport

@testable import PostgreSQL

/// A PostgreSQL server of its own for this process's tests, in a temporary folder, on a Unix socket. It ends with this
/// process, however that ends.
final class PostgreSQLServer: Sendable {
  /// The folder of the newest version that Debian's packages have installed.
  private static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.max { (Int($0) ?? 0) < (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" }
  }()

  static let isInstalled = programs.map { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") } ?? false

  private static let started = Result { try PostgreSQLServer() }

  /// The server, which the first caller starts.
  static var shared: PostgreSQLServer {
    get throws { try started.get() }
  }

  private let folder: TemporaryFolder
  private let program: Program
  private let input: ProgramPipe

  private init() throws {
    folder = try TemporaryFolder()
    input = try ProgramPipe()
    let output = try ProgramPipe()
    program = try Program(
      "/bin/sh", ["-c", Self.script, "sh", folder.path, Self.programs ?? ""],
      environment: ProcessInfo.processInfo.environment, input: input.reading, output: output.writing,
      errors: STDERR_FILENO)
    close(output.writing)
    let line = FileHandle(fileDescriptor: output.reading, closeOnDealloc: true).availableData
    guard line == Data("ready\n".utf8) else { throw NotStarted() }
  }

  struct NotStarted: Error {}

  /// PostgreSQL refuses to run as root. The script waits for the end of its input, which is the end of this process.
  private static let script = """
    folder=$1 programs=$2
    as_postgres() { "$@"; }
    if [ "$(id -u)" = 0 ]; then
      chown postgres "$folder"
      as_postgres() { runuser -u postgres -- "$@"; }
    fi
    cd "$folder"
    as_postgres "$programs/initdb" -D "$folder/data" -U postgres -A trust --no-sync -E UTF8 --locale=C.UTF-8 \
      >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
    as_postgres "$programs/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off \
      -c max_connections=100 -c shared_buffers=16MB -c autovacuum=off >>"$folder/log" 2>&1 &
    until "$programs/pg_isready" -q -h "$folder"; do
      kill -0 $! || { cat "$folder/log" >&2; exit 1; }
      sleep 0.02
    done
    echo ready
    cat >/dev/null
    kill -QUIT "$(head -1 "$folder/data/postmaster.pid")"
    wait
    rm -rf "$folder"
    """

  /// The folder of its socket.
  var socketFolder: String { folder.path }

  func url(folder: String? = nil, statementTimeout: Int64 = 5000, parameters: String = "") throws -> DatabaseURL {
    try DatabaseURL(
      "postgres:///postgres?host=\(folder ?? socketFolder)&user=postgres\(parameters)",
      statementTimeout: statementTimeout)
  }
}
