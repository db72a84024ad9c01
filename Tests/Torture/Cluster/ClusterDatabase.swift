import Foundation
import Glibc
import TestSupport

/// A server of PostgreSQL that can be killed, stopped and started again.
final class ClusterDatabase {
  let folder: String
  private let programs: String
  private let log: String
  private var running: Child?
  /// Whether it has a file system of its own.
  private let hasOwnDisk: Bool

  init(folder: String) throws {
    self.folder = folder
    log = "\(folder).log"
    guard let programs = PostgreSQLServer.programs else {
      throw Violation("PostgreSQL is not installed: apt install postgresql")
    }
    self.programs = programs
    hasOwnDisk = getuid() == 0
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    if hasOwnDisk {
      guard mountSmallDisk(at: folder) else { throw Violation("no disk can be mounted: \(errno)") }
      try Child.run(["chown", "postgres", folder], log: log)
    }
    // Small segments of the log, so that many fit.
    try Child.run(
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
    try Cluster.waitUntil("PostgreSQL does not start; see \(log)") {
      if running?.isRunning != true {
        _ = running?.end()
        // After a crash, the processes of the last one need a moment to end, and it may end by itself until then.
        running = try Child(
          command: asOwner + [
            "\(programs)/postgres", "-D", "\(folder)/data", "-k", folder, "-c", "listen_addresses=",
            "-c", "shared_buffers=16MB", "-c", "max_wal_size=32MB", "-c", "min_wal_size=4MB",
            "-c", "checkpoint_timeout=30s",
          ], log: log)
      }
      return (try? rows("SELECT 1", in: "postgres")) != nil
    }
  }

  /// What a query returns: texts by rows and columns.
  func rows(_ sql: String, in database: String = "selfie") throws -> [[String]] {
    let bytes = try Child.run(
      ["\(programs)/psql", "-XAtq", "-F\t", "-h", folder, "-U", "postgres", "-d", database, "-c", sql], log: log)
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
    defer { running = nil }
    try running?.kill()
  }

  /// Stops all of its processes, or lets them go on.
  func signalAll(_ number: Int32) {
    guard let first = running?.pid else { return }
    running?.signal(number)
    let children = try? String(contentsOfFile: "/proc/\(first)/task/\(first)/children", encoding: .utf8)
    for child in (children ?? "").split(separator: " ").compactMap({ pid_t($0) }) { Glibc.kill(child, number) }
  }

  /// Takes all the room that is left, while its disk is full.
  var filler: String { "\(folder)/filler" }

  /// In order, but without waiting for clients.
  private func shutDown() {
    running?.signal(SIGINT)
    _ = running?.end()
    running = nil
  }

  /// Ends it, and forgets what it has.
  func stop() {
    shutDown()
    if hasOwnDisk { umount2(folder, 0) }
  }

  /// Ends it, and copies what would be gone with this process.
  func keep() {
    shutDown()
    if hasOwnDisk { _ = try? Child.run(["cp", "-a", folder, "\(folder)-kept"], log: log) }
  }
}
