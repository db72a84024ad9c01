import TestSupport
import Testing

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
    ("S3_ENDPOINT", "http://127.0.0.1:9", "S3_ENDPOINT: the object store cannot be reached"),
    ("DATABASE_URL", "postgres://name:Never1Print2This3@127.0.0.1:9/selfie", "DATABASE_URL: PostgreSQL: connection to"),
    ("DATABASE_URL", "mysql://name:Never1Print2This3@127.0.0.1/selfie", "DATABASE_URL: it must be postgres://"),
  ])
  func `a setting that is wrong is named`(name: String, value: String, expected: String) async throws {
    let message = try await message(try await TestCluster(), [name: value])
    #expect(message.contains(expected), "\(message)")
    #expect(!message.contains("Never1Print2This3"), "\(message)")
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
