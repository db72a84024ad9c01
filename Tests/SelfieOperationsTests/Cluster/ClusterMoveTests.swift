import APITestSupport
import SQL
import SQLite
import TestSupport
import Testing

@testable import SelfieAPI
@testable import SelfieOperations

/// What a move between a folder and a cluster refuses before it writes.
@Suite(
  .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .serialized,
  .timeLimit(.minutes(2)))
struct ClusterMoveTests {
  private static let made = Task { try await Blocking.run { try ClusterFixture(named: "moved") } }
  private let cluster: ClusterFixture
  private let api: APIFixture

  init() async throws {
    cluster = try await Self.made.value
    try await cluster.clear()
    api = try APIFixture()
  }

  @Test func `a cluster that another process uses`() async throws {
    let other = cluster.otherProcess()
    _ = try await other.read(Query("SELECT 1::bigint"))
    let error = await #expect(throws: OperationError.self) {
      try await cluster.move(.fromCluster, api.database, in: api.folder)
    }
    let text = try #require(error?.description)
    #expect(
      text.prefixMatch(of: /Others use the cluster: selfie-server [0-9a-f]{12} from the machine of the database\./)
        != nil,
      "\(text)")
    other.close()
    #expect(try await cluster.move(.fromCluster, api.database, in: api.folder).isEmpty)
  }

  @Test func `texts that are not UTF-8, which are named`() async throws {
    for email in ["ada@example.com", "bob@example.com"] {
      let user = User(email: email, firstName: "\u{fffd}", passwordHash: "none", createdAt: 0)
      _ = try await api.application.users.insert(user)
    }
    try await api.database.write { try $0.execute("UPDATE users SET last_name = CAST(x'41ff' AS TEXT) WHERE id = 2") }
    let problem = MoveProblem(
      table: "users", id: 2, reason: "a text is not UTF-8, so PostgreSQL cannot store it")
    #expect(try await cluster.move(.toCluster, api.database, in: api.folder) == [problem])
    #expect(try await cluster.number("SELECT count(*) FROM users") == 0)
    #expect(try await cluster.move(.toCluster, api.database, in: api.folder, skipsInvalid: true) == [problem])
    #expect(try await cluster.number("SELECT id FROM users") == 1)
  }
}
