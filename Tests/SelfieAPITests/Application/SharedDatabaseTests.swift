import APITestSupport
import HTTPMessages
import Platform
import PostgreSQL
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// What only an application on a shared database does.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"))
struct SharedDatabaseTests {
  /// What a test sees of a database, and does to it.
  private struct Observed {
    let api: APIFixture
    let reads: Monitor<Int>
    let isAway: Monitor<Bool>
    /// How many reads are answered before the database is away.
    let readsLeft: Monitor<Int>

    /// How many round trips a request takes that only reads.
    func roundTrips(_ request: () async throws -> Void) async throws -> Int {
      let before = reads.withLock { $0 }
      try await request()
      return reads.withLock { $0 } - before
    }
  }

  @concurrent private func observe(_ test: @concurrent @Sendable (Observed) async throws -> Void) async throws {
    try await SharedTestDatabases.lend { database in
      let (reads, isAway, readsLeft) = (Monitor(0), Monitor(false), Monitor(Int.max))
      let observed = ObservedDatabase(
        read: { query in
          let isLeft = readsLeft.withLock { left in
            left -= 1
            return left >= 0
          }
          if !isLeft || isAway.withLock({ $0 }) { throw SharedDatabaseError(.away, "no connection") }
          reads.withLock { $0 += 1 }
          return try await database.read(query)
        }, checkWrite: { if isAway.withLock({ $0 }) { throw SharedDatabaseError(.away, "no connection") } },
        database: database)
      try await TestDatabase.$shared.withValue(observed) {
        try await test(Observed(api: try APIFixture(), reads: reads, isAway: isAway, readsLeft: readsLeft))
      }
    }
  }

  @Test func `get_photos takes one round trip, unless the list is long`() async throws {
    try await observe { observed in
      let api = observed.api
      let token = try await api.newUser()
      func roundTrips(
        _ token: String, _ status: Status, count: Int = 0, trips expected: Int = 1,
        sourceLocation: SourceLocation = #_sourceLocation
      ) async throws {
        let trips = try await observed.roundTrips {
          let response = try await api.get("/api/get_photos", as: .holder(of: token)).fetched()
          #expect(response.status == status, sourceLocation: sourceLocation)
          #expect(response.elements.count == count, sourceLocation: sourceLocation)
        }
        #expect(trips == expected, sourceLocation: sourceLocation)
      }
      try await roundTrips(token, .ok)
      _ = try await api.newPhoto(token: token)
      try await roundTrips(token, .ok, count: 1)
      try await api.application.database.run([
        Query(
          """
          INSERT INTO photos (random_id, user_id, title, byte_count, content_type, created_at, updated_at)
          SELECT CAST(number AS text), 1, 'title', 1, '', 1, 1 FROM generate_series(1, 199) AS number
          """)
      ])
      try await roundTrips(token, .ok, count: 200)
      _ = try await api.newPhoto(token: token)
      try await roundTrips(token, .ok, count: 201, trips: 4)
      try await roundTrips("unknown", .unauthorized)
      _ = try await api.application.users.setDisabled(at: 5, of: "jane@example.com")
      try await roundTrips(token, .forbidden)
      _ = try await api.application.users.setDisabled(at: nil, of: "jane@example.com")
      api.clock.advance(seconds: 365 * 86_400)
      _ = try await api.signIn()
      try await roundTrips(token, .unauthorized)
    }
  }

  @Test func `an upload asks for its token and for the quotas, and for nothing else`() async throws {
    try await observe { observed in
      let api = try APIFixture { ($0.userQuota, $0.storageQuota) = (1_000_000, 1_000_000_000) }
      let token = try await api.newUser()
      let trips = try await observed.roundTrips { _ = try await api.newPhoto(token: token) }
      #expect(trips == 2)
    }
  }

  @Test func `clients are told when the database is away, and the server is not ready until it is back`() async throws {
    try await observe { observed in
      let api = observed.api
      let token = try await api.newUser()
      #expect(await api.get("/readyz").status == .ok)
      observed.isAway.withLock { $0 = true }
      api.clock.advance(seconds: 1)
      let notReady = await api.get("/readyz")
      #expect(notReady.status == .serviceUnavailable)
      #expect(notReady.fields["X-Error"] == "not_ready")
      #expect(notReady.message?.hasPrefix("The database does not respond.") == true)
      let response = await api.get("/api/get_photos", as: .holder(of: token))
      #expect(response.status == .serviceUnavailable)
      #expect(response.fields["X-Error"] == "database_away")
      #expect(response.fields["Retry-After"] == "5")
      observed.isAway.withLock { $0 = false }
      api.clock.advance(seconds: 1)
      #expect(await api.get("/readyz").status == .ok)
      #expect(await api.isAccepted(token))
    }
  }

  @Test(arguments: [0, 1])
  func `a sign-out ends nothing where the database goes away, also between its two looks`(reads: Int) async throws {
    try await observe { observed in
      let api = observed.api
      let token = try await api.newUser()
      api.clock.advance(seconds: 2 * 86_400)
      _ = try await api.signIn()
      observed.readsLeft.withLock { $0 = reads }
      let response = await api.get("/api/clear_token", as: .holder(of: token))
      #expect(response.status == .serviceUnavailable)
      observed.readsLeft.withLock { $0 = .max }
      #expect(await api.send("POST", "/api/refresh_token", as: .bearer(of: token), [:]).status == .ok)
    }
  }

  @Test func `an address with a NUL is nobody's`() async throws {
    try await observe { observed in
      let users = observed.api.application.users
      let trips = try await observed.roundTrips { () async throws in
        #expect(try await users.find(email: "a\0@example.com") == nil)
        #expect(try await users.endTokens(of: "a\0@example.com", now: 0)?.user == nil)
      }
      #expect(trips == 0)
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
      SELECT concat_ws(' ', encode(digest, 'hex'), expires_at, created_at, encode(family, 'hex'), refreshed_at, is_retired)
      FROM tokens ORDER BY digest
      """, on: "earlier")
    #expect(tokens == ["a1 9 1 a1 0", "a2 8 2 a1 4 0", "b1 7 3 b1 1", "b2 6 4 b1 5 1"])
  }
}

/// A database on a server, with other reads.
private struct ObservedDatabase: SharedDatabase {
  let read: @Sendable (Query) async throws -> Rows
  var checkWrite: @Sendable () throws -> Void = {}
  let database: any SharedDatabase

  func read(_ query: Query) async throws -> Rows { try await read(query) }
  func makeLoopService() throws -> any LoopService { try database.makeLoopService() }

  func write<Result: Sendable>(
    locking locks: [Query], _ body: @escaping @Sendable (any Transaction) throws -> Result
  ) async throws -> Result {
    try checkWrite()
    return try await database.write(locking: locks, body)
  }

  func prune() async throws { try await database.prune() }
  var statistics: SharedDatabaseStatistics { database.statistics }
  func close() {}
}
