import APITestSupport
import HTTPMessages
import Platform
import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// What only an application on a shared database does.
@Suite(
  .onPostgreSQL, .enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"),
  .timeLimit(.minutes(5)))
struct SharedDatabaseTests {
  /// Runs a test on a database that it observes.
  private func observe(_ test: (APIFixture, ObservedDatabase) async throws -> Void) async throws {
    let database = ObservedDatabase(database: try #require(TestDatabase.shared))
    try await TestDatabase.$shared.withValue(database) { try await test(APIFixture(), database) }
  }

  @Test func `get_photos takes a round trip for the token and one for the list, unless that is long`() async throws {
    try await observe { api, database in
      let token = try await api.newUser()
      func expect(
        _ status: Status, count: Int = 0, to token: String, trips expected: Int = 2,
        sourceLocation: SourceLocation = #_sourceLocation
      ) async throws {
        let trips = try await database.roundTrips {
          let response = try await api.get("/api/get_photos", as: .holder(of: token)).fetched()
          #expect(response.status == status, sourceLocation: sourceLocation)
          #expect(response.elements.count == count, sourceLocation: sourceLocation)
        }
        #expect(trips == expected, sourceLocation: sourceLocation)
      }
      try await expect(.ok, to: token)
      _ = try await api.newPhoto(token: token)
      try await expect(.ok, count: 1, to: token)
      try await insertPhotos(199, into: api)
      try await expect(.ok, count: 200, to: token)
      _ = try await api.newPhoto(token: token)
      try await expect(.ok, count: 201, to: token, trips: 5)
      try await expect(.unauthorized, to: "unknown", trips: 1)
      _ = try await api.application.users.setDisabled(at: 5, of: "jane@example.com")
      try await expect(.forbidden, to: token, trips: 1)
      _ = try await api.application.users.setDisabled(at: nil, of: "jane@example.com")
      api.clock.advance(seconds: 365 * 86_400)
      _ = try await api.signIn()
      try await expect(.unauthorized, to: token, trips: 1)
    }
  }

  /// Photos of the first user.
  private func insertPhotos(_ count: Int64, into api: APIFixture) async throws {
    try await api.application.database.run([
      Query(
        """
        INSERT INTO photos (random_id, user_id, title, byte_count, content_type, created_at, updated_at)
        SELECT CAST(number AS text), 1, 'title', 1, '', 1, 1 FROM generate_series(1, $1) AS number
        """, .integer(count))
    ])
  }

  @Test func `an upload asks for its token and for the quotas, and for nothing else`() async throws {
    try await observe { _, database in
      let (api, token) = try await APIFixture.withUser { ($0.userQuota, $0.storageQuota) = (1_000_000, 1_000_000_000) }
      let trips = try await database.roundTrips { _ = try await api.newPhoto(token: token) }
      #expect(trips == 2)
    }
  }

  @Test func `clients are told when the database is away, and the server is not ready until it is back`() async throws {
    try await observe { api, database in
      let token = try await api.newUser()
      #expect(await api.get("/readyz").status == .ok)
      database.state.withLock { $0.isAway = true }
      api.clock.advance(seconds: 1)
      let notReady = await api.get("/readyz")
      #expect(notReady.status == .serviceUnavailable)
      #expect(notReady.fields["X-Error"] == "not_ready")
      #expect(notReady.message?.hasPrefix("The database does not respond.") == true)
      let response = await api.get("/api/get_photos", as: .holder(of: token))
      #expect(response.status == .serviceUnavailable)
      #expect(response.fields["X-Error"] == "database_away")
      #expect(response.fields["Retry-After"] == "5")
      database.state.withLock { $0.isAway = false }
      api.clock.advance(seconds: 1)
      #expect(await api.get("/readyz").status == .ok)
      #expect(await api.isAccepted(token))
    }
  }

  @Test(arguments: [0, 1])
  func `a sign-out ends nothing where the database goes away, also between its two looks`(reads: Int) async throws {
    try await observe { api, database in
      let token = try await api.newUser()
      api.clock.advance(seconds: 2 * 86_400)
      _ = try await api.signIn()
      database.state.withLock { $0.readsLeft = reads }
      let response = await api.get("/api/clear_token", as: .holder(of: token))
      #expect(response.status == .serviceUnavailable)
      database.state.withLock { $0.readsLeft = .max }
      #expect(await api.refresh(token).status == .ok)
    }
  }

  @Test func `a token of an earlier cluster stays live, refreshed or retired`() throws {
    let server = try PostgreSQLServer.shared
    try server.run("CREATE DATABASE earlier")
    let url = try DatabaseURL(server.address(of: "earlier"))
    _ = try Migrations(Array(Migrations.postgreSQL.steps.prefix(1))).run(on: url, now: 1)
    try server.run(
      """
      INSERT INTO users (id, email, password_hash, created_at, updated_at) VALUES (3, 'a', '', 1, 1);
      INSERT INTO tokens VALUES ('\\xa1', 3, 9, 1, '\\xa1', NULL), ('\\xa2', 3, 8, 2, '\\xa1', 4);
      INSERT INTO retired_tokens VALUES ('\\xb1', 3, 7, 3, '\\xb1', NULL), ('\\xb2', 3, 6, 4, '\\xb1', 5);
      """, on: "earlier")
    _ = try Migrations.postgreSQL.run(on: url, now: 2)
    let tokens = try server.run(
      """
      SELECT concat_ws(' ', encode(digest, 'hex'), expires_at, created_at, encode(family, 'hex'), refreshed_at, state)
      FROM tokens ORDER BY digest
      """, on: "earlier")
    #expect(tokens == ["a1 9 1 a1 0", "a2 8 2 a1 4 0", "b1 7 3 b1 1", "b2 6 4 b1 5 1"])
  }
}

/// A database on a server that counts the reads, and is away when a test says so.
private struct ObservedDatabase: SharedDatabase {
  struct State {
    var reads = 0
    /// How many reads are answered before it is away.
    var readsLeft = Int.max
    var isAway = false
  }

  let state = Monitor(State())
  let database: any SharedDatabase

  /// How many round trips a request takes that only reads.
  func roundTrips(_ request: () async throws -> Void) async throws -> Int {
    let before = state.withLock(\.reads)
    try await request()
    return state.withLock(\.reads) - before
  }

  private func require(_ isThere: (inout State) -> Bool) throws {
    guard state.withLock({ !$0.isAway && isThere(&$0) }) else { throw SharedDatabaseError(.away, "no connection") }
  }

  func read<Result: Sendable>(
    _ query: Query, flow: Flow, _ body: @escaping @Sendable (Rows) throws -> Result
  ) async throws -> Result {
    try require { state in
      state.readsLeft -= 1
      state.reads += 1
      return state.readsLeft >= 0
    }
    return try await database.read(query, flow: flow, body)
  }

  func write<Result: Sendable>(
    locking locks: [Query], flow: Flow, _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try require { _ in true }
    return try await database.write(locking: locks, flow: flow, body)
  }

  func prune() async throws { try await database.prune() }
  var statistics: SharedDatabaseStatistics { database.statistics }
  func close() {}
}
