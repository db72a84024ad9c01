import Foundation
import Glibc
import TestSupport

/// One of the servers of a cluster, with ways of its own to the database and to the object store.
final class ClusterServer {
  let number: Int
  /// An address of its own, with the same port as that of the others.
  let host = LoopbackAddress.unused()
  static let port = 3000
  let databaseProxy: FaultyProxy
  let storeProxy: FaultyProxy
  private let program: String
  private let folder: String
  private let log: String
  private var running: Child?
  /// How often it was started.
  private var serial = 0

  init(number: Int, program: String, folder: String, socket: String, seed: UInt64) throws {
    self.number = number
    self.program = program
    self.folder = folder
    log = "\(folder).log"
    try FileManager.default.createDirectory(
      atPath: "\(folder)/storage", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    databaseProxy = try FaultyProxy(target: .socket(socket), seed: seed)
    storeProxy = try FaultyProxy(seed: seed &+ 1)
  }

  /// The name of its connections at the database, which is another one after each start.
  var name: String { "torture-\(number)-\(serial)" }

  var isRunning: Bool { running != nil }

  private func environment(_ store: StoreServer.Access) -> [String: String] {
    let environment = [
      "HOST": host, "PORT": "\(Self.port)",
      "DATABASE_URL": "postgres://selfie@127.0.0.1:\(databaseProxy.port)/selfie?application_name=\(name)",
      "S3_ENDPOINT": "http://127.0.0.1:\(storeProxy.port)", "S3_BUCKET": store.bucket,
      "S3_REGION": store.region, "S3_ACCESS_KEY_ID": store.accessKeyID,
      "S3_SECRET_ACCESS_KEY": store.secretAccessKey,
      // The least that it takes.
      "SWEEP_AFTER": "600",
    ]
    return Subject.environment(storage: "\(folder)/storage").merging(environment) { $1 }
  }

  /// Starts it, which may not listen yet.
  func launch(_ store: StoreServer.Access) throws {
    storeProxy.setTarget(.port(store.port))
    serial += 1
    running = try Child(command: [program, "serve"], environment: environment(store), log: log)
  }

  /// Returns when it listens, after more attempts if need be, as a supervisor makes them. Does nothing while it runs.
  func start(_ store: StoreServer.Access) throws {
    guard running == nil else { return }
    try Cluster.waitUntil("server \(number) does not start; see \(log)") {
      try launch(store)
      if let line = running?.line(), line.hasPrefix("Listening") { return true }
      running?.signal(SIGKILL)
      _ = running?.end()
      running = nil
      return false
    }
  }

  func signal(_ signal: Int32) { running?.signal(signal) }

  func kill() throws {
    defer { running = nil }
    try running?.kill()
  }

  /// In order: requests are finished.
  func stop() throws {
    defer { running = nil }
    try running?.stop()
  }

  /// Uploads that are under way, or were left.
  func incoming() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(folder)/storage/incoming")
  }
}
