import Foundation
import Glibc
import TestSupport

/// A server of PostgreSQL that can be killed, stopped and started again.
final class ClusterDatabase {
  private static let maxStartSeconds = 60.0
  /// Room for what the clients write, and little enough to be filled in no time.
  private static let disk = "size=256m,mode=0755"

  let folder: String
  private let programs: String
  private let log: String
  private var running: (program: Program, output: Output)?
  /// Whether it has a file system of its own.
  private let hasOwnDisk: Bool

  init(folder: String) throws {
    self.folder = folder
    log = "\(folder).log"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    guard let newest = versions.max(by: { (Int($0) ?? 0) < (Int($1) ?? 0) }) else {
      throw Violation("PostgreSQL is not installed: apt install postgresql")
    }
    programs = "/usr/lib/postgresql/\(newest)/bin"
    hasOwnDisk = getuid() == 0
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if hasOwnDisk {
      try Program.run(["mount", "-t", "tmpfs", "-o", Self.disk, "tmpfs", folder], log: log)
      try Program.run(["chown", "postgres", folder], log: log)
    }
    // Small segments of the log, so that many fit.
    try Program.run(
      asOwner + [
        "\(programs)/initdb", "-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "-E", "UTF8",
        "--locale=C.UTF-8", "--wal-segsize=1",
      ], log: log)
    try start()
    _ = try rows("CREATE ROLE selfie LOGIN", in: "postgres")
    _ = try rows("CREATE DATABASE selfie OWNER selfie", in: "postgres")
  }

  var socket: String { "\(folder)/.s.PGSQL.5432" }

  /// PostgreSQL refuses to run as root.
  private var asOwner: [String] {
    getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--pdeathsig=KILL"] : []
  }

  /// Returns when it answers. Does nothing while it runs.
  func start() throws {
    let deadline = Subject.seconds + Self.maxStartSeconds
    while Subject.seconds < deadline {
      if running?.program.isRunning != true {
        _ = running?.program.end()
        // After a crash, the processes of the last one need a moment to end, and it may end by itself until then.
        running = try Program.start(
          asOwner + [
            "\(programs)/postgres", "-D", "\(folder)/data", "-k", folder, "-c", "listen_addresses=",
            "-c", "shared_buffers=16MB", "-c", "max_wal_size=32MB", "-c", "min_wal_size=4MB",
            "-c", "checkpoint_timeout=30s",
          ], log: log)
      }
      if (try? rows("SELECT 1", in: "postgres")) != nil { return }
      usleep(50_000)
    }
    throw Violation("PostgreSQL does not start; see \(log)")
  }

  /// What a query returns: texts by rows and columns.
  func rows(_ sql: String, in database: String = "selfie") throws -> [[String]] {
    let bytes = try Program.output(
      of: ["\(programs)/psql", "-XAtq", "-F\t", "-h", folder, "-U", "postgres", "-d", database, "-c", sql], log: log)
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// The processes that serve the servers' connections.
  func backends() throws -> [pid_t] {
    try rows("SELECT pid FROM pg_stat_activity WHERE usename = 'selfie'").compactMap { $0.first.flatMap { pid_t($0) } }
  }

  // MARK: - Faults

  /// Without a word to its other processes.
  func kill() throws {
    running?.program.signal(SIGKILL)
    let status = running?.program.end()
    running = nil
    guard status == -SIGKILL else { throw Violation("PostgreSQL ended by itself, with \(status ?? 0); see \(log)") }
  }

  func kill(_ backend: pid_t) { Glibc.kill(backend, SIGKILL) }

  /// Stops all of its processes, or lets them go on.
  func signalAll(_ number: Int32) {
    guard let first = running?.program.pid else { return }
    running?.program.signal(number)
    let children = try? String(contentsOfFile: "/proc/\(first)/task/\(first)/children", encoding: .utf8)
    for child in (children ?? "").split(separator: " ").compactMap({ pid_t($0) }) { Glibc.kill(child, number) }
  }

  private var filler: String { "\(folder)/filler" }

  /// Takes all the room that is left.
  func fill() throws { try Fault.fill(filler) }

  func makeRoom() { unlink(filler) }

  /// In order, but without waiting for clients.
  private func shutDown() {
    running?.program.signal(SIGINT)
    _ = running?.program.end()
    running = nil
  }

  /// Ends it, and forgets what it has.
  func stop() throws {
    shutDown()
    if hasOwnDisk { try Program.run(["umount", folder], log: log) }
  }

  /// Ends it, and copies what would be gone with this process.
  func keep() {
    shutDown()
    if hasOwnDisk { try? Program.run(["cp", "-a", folder, "\(folder)-kept"], log: log) }
  }
}
