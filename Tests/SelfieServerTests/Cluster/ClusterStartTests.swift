import Foundation
import SelfieOperations
import TestSupport
import Testing
import Torture

@testable import SelfieServerCommands

/// What a process of a cluster says that does not start.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct ClusterStartTests {
  /// - Returns: what it says before it listens.
  private func message(
    _ cluster: TestCluster, _ others: [String: String], sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> String {
    let outcome = try await cluster.run(["serve"], others)
    #expect(outcome.status == 1, sourceLocation: sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
    return outcome.message
  }

  @Test func `everything that is wrong with the database and the object store is said at once`() async throws {
    let cluster = try await TestCluster()
    let message = try await message(
      cluster, ["DATABASE_URL": cluster.server.address(of: "nowhere"), "S3_SECRET_ACCESS_KEY": "Never1Print2This3"])
    #expect(message.contains("DATABASE_URL: "), "\(message)")
    #expect(message.contains("database \"nowhere\" does not exist"), "\(message)")
    #expect(message.contains("S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID"), "\(message)")
    #expect(!message.contains("Never1Print2This3"))
  }

  @Test(arguments: [
    ("S3_BUCKET", "no-such-bucket", "S3_BUCKET: the object store has no such bucket."),
    ("DATABASE_URL", "mysql://name:Never1Print2This3@127.0.0.1/selfie", "DATABASE_URL: it must be postgres://"),
  ])
  func `a setting that is wrong is named`(name: String, value: String, expected: String) async throws {
    let message = try await message(try await TestCluster(), [name: value])
    #expect(message.contains(expected), "\(message)")
    #expect(!message.contains("Never1Print2This3"), "\(message)")
  }

  @Test func `a server waits for a database and an object store that are away`() async throws {
    let cluster = try await TestCluster()
    let folder = try TemporaryFolder()
    let proxy = try FaultyProxy(target: .port(cluster.store.port), seed: 1)
    proxy.mode = .respond("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
    let socket = "\(folder.path)/sql"
    let server = try cluster.start([
      "DATABASE_URL": "postgres:///\(cluster.database)?host=\(socket)&user=postgres&password=Never1Print2This3",
      "S3_ENDPOINT": "http://127.0.0.1:\(proxy.port)",
    ])
    let waiting = "waiting for the database and the object store"
    let report = try #require(await server.errors.first { $0.contains(waiting) })
    #expect(report.contains("DATABASE_URL: PostgreSQL: connection to server on socket"), "\(report)")
    #expect(report.contains("S3_ENDPOINT: the object store cannot be reached: it responded 503."), "\(report)")
    #expect(!report.contains("Never1Print2This3"))

    try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: cluster.server.socketFolder)
    proxy.mode = .respond(FaultyProxy.noSuchBucket)
    #expect(await server.errors.first { $0.contains("S3_BUCKET: the object store has no such bucket.") } != nil)
    proxy.mode = .pass
    let app = try await cluster.appOfNewUser(of: server)
    let ready = try await app.helper.download("http://127.0.0.1:\(try await server.port())/readyz")
    #expect(ready.status == 200)
    await server.stop()
  }

  @Test func `a server that waits can be stopped`() async throws {
    let server = try await TestCluster().start(["DATABASE_URL": "postgres:///selfie?host=/nowhere"])
    #expect(await server.errors.first { $0.contains("waiting for the database") } != nil)
    await server.stop()
    #expect(await server.output.all().isEmpty)
  }

  @Test func `it waits for two minutes for a server, and for ten seconds for a bucket`() {
    func error(_ patience: ClusterStartError.Patience...) -> ClusterStartError {
      ClusterStartError(patience.map { ClusterStartError.Problem("", $0) })
    }
    var patience = ClusterWait.Patience()
    let waits = [
      patience.lasts(after: error(.server), now: 500), patience.lasts(after: error(.server, .bucket), now: 100_000),
      patience.lasts(after: error(.bucket), now: 109_999), patience.lasts(after: error(.server), now: 120_499),
    ]
    #expect(waits == [true, true, true, true])
    let ends = [
      patience.lasts(after: error(.bucket), now: 110_000), patience.lasts(after: error(.server), now: 120_500),
      patience.lasts(after: error(.server, .none), now: 120_499),
    ]
    #expect(ends == [false, false, false])
  }

  @Test func `a database in which nobody may make tables is refused`() async throws {
    let cluster = try await TestCluster()
    let role = "guest_of_\(cluster.database)"
    try await cluster.query("CREATE ROLE \(role) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    let url = cluster.server.address(of: cluster.database).replacing("user=postgres", with: "user=\(role)")
    let message = try await message(cluster, ["DATABASE_URL": url])
    #expect(message.contains("DATABASE_URL: ") && message.contains("permission denied for schema public"), "\(message)")
  }

  @Test func `a database of another encoding is refused`() async throws {
    let cluster = try await TestCluster(
      options: "ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    let message = try await message(cluster, [:])
    #expect(message.contains("DATABASE_URL: the encoding must be UTF8: make the database by createdb"), "\(message)")
  }

  @Test func `a database of a newer version is refused, and left as it is`() async throws {
    let cluster = try await TestCluster()
    let first = try cluster.start()
    _ = try await first.port()
    await first.stop()
    try await cluster.query("INSERT INTO schema_migrations VALUES ('9999_next', '', 0)")
    let message = try await message(cluster, [:])
    #expect(message.contains("DATABASE_URL: this database has had the migration 9999_next.sql"), "\(message)")
    #expect(message.contains("it comes from a newer selfie-server"), "\(message)")
    #expect(try await cluster.query("SELECT name FROM schema_migrations ORDER BY name").last == "9999_next")
  }

  @Test func `a storage folder that another process has is refused`() async throws {
    let cluster = try await TestCluster()
    let first = try cluster.start()
    _ = try await first.port()
    let second = try await cluster.run(in: first.folder)
    #expect(second.status == 1 && second.output.isEmpty)
    #expect(
      second.message.contains("storage is in use by another selfie-server (pid \(first.pid), since 2"),
      "\(second.message)")
    #expect(second.message.contains("set another STORAGE_DIR"), "\(second.message)")
    await first.stop()
  }

  @Test(arguments: [["backup", "copy.tar"], ["restore", "copy.tar"]])
  func `commands that are about files are refused, with what to use instead`(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    let outcome = try await TestCluster().run(arguments, in: folder)
    #expect(outcome.status == 1)
    #expect(outcome.message.contains("is for a server that keeps everything in its storage folder"))
    #expect(outcome.message.contains("The tools of PostgreSQL and of the object store"), "\(outcome.message)")
    #expect(try folder.contents().isEmpty)
  }
}
