import Foundation
import Glibc
import TestSupport

/// Servers behind a balancer, with one database and one object store.
final class Cluster {
  /// How long a part may take to start, and all of it to be well again when a fault has ended.
  private static let maxRecoverySeconds = 60.0

  let database: ClusterDatabase
  let store: ClusterStore
  let servers: [ClusterServer]
  private let balancer: Balancer

  /// - Parameters:
  ///   - program: `selfie-server-cluster`.
  ///   - store: the script that is the object store.
  init(program: String, store script: String, folder: String, seed: UInt64, serverCount: Int) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // PostgreSQL's user must come to its folder.
    chmod(folder, 0o755)
    let database = try ClusterDatabase(folder: "\(folder)/postgresql")
    self.database = database
    store = try ClusterStore(script: script, folder: "\(folder)/store")
    servers = try (0..<serverCount).map { number in
      try ClusterServer(
        number: number, program: program, folder: "\(folder)/server\(number)", socket: database.socket,
        seed: seed &+ UInt64(number))
    }
    balancer = try Balancer(before: servers.map(\.host), folder: folder)
    try startAll()
    _ = try awaitReady()
  }

  var port: Int { balancer.port }

  /// Starts what does not run.
  func startAll() throws {
    try database.start()
    try store.start()
    for server in servers {
      server.storeProxy.setTarget(.port(store.address.port))
      try server.start(store.address)
    }
  }

  /// Waits until all servers say that they are ready, and the balancer has them back; returns the seconds that took.
  func awaitReady() throws -> Double {
    let begin = Subject.seconds
    for (server, port) in zip(servers, balancer.ports) {
      try Self.waitUntil("server \(server.number) is not ready") {
        (try? Client(port: port).send(AppRequest("GET", "/readyz")).status) == 200
      }
    }
    // The balancer asks every 100 ms.
    usleep(250_000)
    return Subject.seconds - begin
  }

  /// Waits until nothing that clients asked for can still change: no process of the database works for a server, and
  /// none is left of a server that was killed.
  func awaitQuiet() throws {
    let names = servers.map { "'\($0.name)'" }.joined(separator: ", ")
    var quietLooks = 0
    try Self.waitUntil("the database still works for servers") {
      let count = try database.rows(
        """
        SELECT count(*) FROM pg_stat_activity WHERE usename = 'selfie'
        AND (state IS DISTINCT FROM 'idle' OR split_part(application_name, ' ', 1) NOT IN (\(names)))
        """)
      quietLooks = count == [["0"]] ? quietLooks + 1 : 0
      return quietLooks == 2
    }
  }

  /// Ends everything in order.
  func stop() throws {
    for server in servers { try server.stop() }
    try store.kill()
    database.stop()
  }

  static func waitUntil(_ failure: String, _ condition: () throws -> Bool) throws {
    let deadline = Subject.seconds + maxRecoverySeconds
    while try !condition() {
      guard Subject.seconds < deadline else {
        throw Violation("\(failure) after \(Int(maxRecoverySeconds)) seconds")
      }
      usleep(50_000)
    }
  }
}
