import Foundation
import SelfieOperations
import TestSupport
import Testing
import Torture

@testable import SelfieServer

/// What a process of a cluster says that does not start.
@Suite(.enabled(if: !TestCluster.stores.isEmpty, "\(TestCluster.whatIsNeeded)"), .timeLimit(.minutes(10)))
struct ClusterStartTests {
  /// Expects a process not to start, and to print no secret.
  private func expectRefusal(
    by cluster: TestCluster, _ others: [String: String] = [:], in folder: TemporaryFolder? = nil,
    saying parts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let outcome = try await cluster.start(["serve"], others, in: folder).outcome(1, saying: parts, sourceLocation)
    #expect(outcome.output.isEmpty, sourceLocation: sourceLocation)
    #expect(!outcome.message.contains("Never1Print2This3"), sourceLocation: sourceLocation)
  }

  @Test func `everything that is wrong with the database and the object store is said at once`() async throws {
    let cluster = try await TestCluster()
    try await expectRefusal(
      by: cluster,
      ["DATABASE_URL": cluster.server.address(of: "nowhere"), "S3_SECRET_ACCESS_KEY": "Never1Print2This3"],
      saying: "DATABASE_URL: ", "database \"nowhere\" does not exist",
      "S3_SECRET_ACCESS_KEY is not the secret of S3_ACCESS_KEY_ID")
    for (name, value, expected) in [
      ("S3_BUCKET", "no-such-bucket", "S3_BUCKET: the object store has no such bucket."),
      ("DATABASE_URL", "mysql://name:Never1Print2This3@127.0.0.1/selfie", "DATABASE_URL: it must be postgres://"),
    ] {
      try await expectRefusal(by: cluster, [name: value], saying: expected)
    }
  }

  @Test func `a server waits for a database and an object store that are away`() async throws {
    let cluster = try await TestCluster()
    let folder = try TemporaryFolder()
    let proxy = try FaultyProxy(target: .port(cluster.store.port), seed: 1)
    proxy.mode = .respond("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
    let socket = "\(folder.path)/sql"
    let server = try cluster.start(
      ["serve"],
      [
        "DATABASE_URL": "postgres:///\(cluster.database)?host=\(socket)&user=postgres&password=Never1Print2This3",
        "S3_ENDPOINT": "http://127.0.0.1:\(proxy.port)",
      ])
    let report = try await server.logged("waiting for the database and the object store")
    #expect(report.contains("DATABASE_URL: PostgreSQL: connection to server on socket"), "\(report)")
    #expect(report.contains("S3_ENDPOINT: the object store cannot be reached: it responded 503."), "\(report)")
    #expect(!report.contains("Never1Print2This3"))

    try FileManager.default.createSymbolicLink(atPath: socket, withDestinationPath: cluster.server.socketFolder)
    proxy.mode = .respond(FaultyProxy.noSuchBucket)
    try await server.logged("S3_BUCKET: the object store has no such bucket.")
    proxy.mode = .pass
    _ = try await server.appOfNewUser()
    #expect(try await server.response(to: "GET /readyz").status == 200)
  }

  @Test func `a server that waits can be stopped`() async throws {
    let server = try await TestCluster().start(["serve"], ["DATABASE_URL": "postgres:///selfie?host=/nowhere"])
    try await server.logged("waiting for the database")
    await server.stop()
    #expect(await server.output.all().isEmpty)
  }

  @Test func `it waits for two minutes for a server, and for ten seconds for a bucket`() {
    var beginnings: [ClusterStartError.Patience: Int64] = [:]
    for (patience, now, isLeft): ([ClusterStartError.Patience], Int64, Bool) in [
      ([.server], 500, true), ([.server, .bucket], 100_000, true), ([.bucket], 109_999, true),
      ([.server], 120_499, true), ([.bucket], 110_000, false), ([.server], 120_500, false),
      ([.server, .none], 120_499, false),
    ] {
      let error = ClusterStartError(patience.map { .init("", $0) })
      #expect(error.mayPass(&beginnings, now: now) == isLeft, "\(patience) \(now)")
    }
  }

  @Test func `a database in which nobody may make tables is refused`() async throws {
    let cluster = try await TestCluster()
    let role = "guest_of_\(cluster.database)"
    try await cluster.query("CREATE ROLE \(role) LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    let url = cluster.server.address(of: cluster.database).replacing("user=postgres", with: "user=\(role)")
    try await expectRefusal(
      by: cluster, ["DATABASE_URL": url], saying: "DATABASE_URL: ", "permission denied for schema public")
  }

  @Test
  func `a database of a newer version, and a storage folder of another process, are refused and left as they are`()
    async throws
  {
    let cluster = try await TestCluster()
    let first = try await cluster.start().listening()
    try await expectRefusal(
      by: cluster, in: first.folder,
      saying: "storage is in use by selfie-server (pid \(first.pid), since 2", "set another STORAGE_DIR")
    await first.stop()
    try await cluster.query("INSERT INTO schema_migrations VALUES ('9999_next', '', 0)")
    try await expectRefusal(
      by: cluster, saying: "DATABASE_URL: this database has had the migration 9999_next.sql",
      "it comes from a newer selfie-server")
    #expect(try await cluster.query("SELECT name FROM schema_migrations ORDER BY name").last == "9999_next")
  }

  @Test(arguments: [["backup", "copy.tar"], ["restore", "copy.tar"]])
  func `commands that are about files are refused, with what to use instead`(arguments: [String]) async throws {
    let folder = try TemporaryFolder()
    try await TestCluster().run(
      arguments, in: folder, status: 1, saying: "is for a server that keeps everything in its storage folder",
      "The tools of PostgreSQL and of the object store")
    #expect(try folder.contents().isEmpty)
  }
}
