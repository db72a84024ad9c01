import Foundation
import Platform

/// A PostgreSQL server of this process's tests, in a temporary folder, on a Unix socket. It ends with the last reference
/// to it, and with this process, however that ends.
package final class PostgreSQLServer: Sendable {
  /// The folder of the newest version that Debian's packages have installed.
  package static let programs: String? = {
    let root = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    return versions.max { (Int($0) ?? 0) < (Int($1) ?? 0) }.map { "\(root)/\($0)/bin" }
  }()

  package static let isInstalled =
    programs.map { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") } ?? false

  private static let started = Result { try PostgreSQLServer() }

  /// The server of all suites that do not crash it, which the first caller starts.
  package static var shared: PostgreSQLServer {
    get throws { try started.get() }
  }

  private let folder: TemporaryFolder
  /// Also of the socket's name.
  package let port = 5432
  /// Where it listens if it has a certificate.
  private let host = LoopbackAddress.unused()
  private let program: Program
  private let input: ProgramPipe
  private let output: FileHandle

  /// - Parameter certificate: with one, it listens on an address of this machine, too.
  package init(certificate: TestCertificate? = nil) throws {
    folder = try TemporaryFolder()
    try certificate?.write(to: folder)
    input = try ProgramPipe()
    let output = try ProgramPipe()
    let arguments = [folder.path, Self.programs ?? "", "\(port)", certificate == nil ? "" : host]
    program = try Program(
      "/bin/sh", ["-c", Self.script, "sh"] + arguments,
      environment: ProcessInfo.processInfo.environment, input: input.reading, output: output.writing,
      errors: STDERR_FILENO)
    close(output.writing)
    close(input.reading)
    self.output = FileHandle(fileDescriptor: output.reading, closeOnDealloc: true)
    try waitUntilReady()
  }

  deinit {
    close(input.writing)
    _ = program.end()
  }

  private func waitUntilReady() throws {
    guard output.availableData == Data("ready\n".utf8) else { throw NotPossible("PostgreSQL does not start") }
  }

  /// PostgreSQL refuses to run as root. The script starts the server again for each line of its input, and waits for
  /// the end of that, which is the end of this process.
  private static let script = """
    folder=$1 programs=$2 port=$3 tls_host=$4
    as_postgres() { "$@"; }
    if [ "$(id -u)" = 0 ]; then
      chown -R postgres "$folder"
      as_postgres() { runuser -u postgres -- "$@"; }
    fi
    cd "$folder"
    as_postgres "$programs/initdb" -D "$folder/data" -U postgres -A trust --no-sync -E UTF8 --locale=C.UTF-8 \
      >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
    set -- -c listen_addresses=
    [ -z "$tls_host" ] || set -- -c listen_addresses="$tls_host" -c ssl=on \
      -c ssl_cert_file="$folder/certificate.pem" -c ssl_key_file="$folder/key.pem"
    serve() {
      as_postgres "$programs/postgres" -D "$folder/data" -k "$folder" -p "$port" -c fsync=off \
        -c max_connections=400 -c shared_buffers=16MB -c autovacuum=off "$@" >>"$folder/log" 2>&1 &
      server=$!
    }
    start() {
      serve "$@"
      for attempt in $(seq 5000); do
        "$programs/pg_isready" -q -h "$folder" -p "$port" && { echo ready; return; }
        # After a crash, the processes of the last server may need a moment to end.
        kill -0 $server 2>/dev/null || { wait $server; serve "$@"; }
        sleep 0.02
      done
      cat "$folder/log" >&2
      exit 1
    }
    start "$@"
    while read -r line; do start "$@"; done
    kill -QUIT "$(head -1 "$folder/data/postmaster.pid")"
    wait
    rm -rf "$folder"
    """

  /// The folder of its socket.
  package var socketFolder: String { folder.path }

  /// The address of a database on it.
  package func address(of database: String = "postgres") -> String {
    "postgres:///\(database)?host=\(socketFolder)&port=\(port)&user=postgres"
  }

  /// By TLS, for a client that trusts only certificates of this root.
  ///
  /// - Parameter name: of the host, which the certificate must have.
  package func tlsAddress(
    of database: String = "postgres", name: String = "localhost", root: TestCertificate
  ) throws -> String {
    let file = try keep(root.certificate, as: "trusted-\(UUID().uuidString).pem")
    return "postgres://postgres@\(name):\(port)/\(database)?hostaddr=\(host)&sslmode=verify-full&sslrootcert=\(file)"
  }

  /// Keeps a file as long as the server lives, and returns its path.
  package func keep(_ bytes: [UInt8], as name: String) throws -> String {
    try folder.write(bytes, to: name)
    return "\(folder.path)/\(name)"
  }

  /// Runs statements by psql. Returns a line for each row, with `|` between its columns. Blocks.
  @discardableResult
  package func run(_ sql: String, on database: String = "postgres") throws -> [String] {
    let (status, rows) = try Program.output(
      of: "\(Self.programs ?? "")/psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-c", sql, address(of: database)])
    guard status == 0 else { throw NotPossible("psql refuses \(sql)") }
    return rows.split(separator: "\n").map(String.init)
  }

  /// Kills the server's first process, as a machine does that has no memory left, and starts it again.
  package func crash() throws {
    let process = try folder.text(of: "data/postmaster.pid").split(separator: "\n").first.flatMap { pid_t($0) }
    guard let process, process > 1 else { throw NotPossible("PostgreSQL does not start") }
    kill(process, SIGKILL)
    try FileHandle(fileDescriptor: input.writing).write(contentsOf: Data("again\n".utf8))
    try waitUntilReady()
  }
}
