import APITestSupport
import Cryptography
import HTTPMessages
import Platform
import SQL
import TestSupport
import Testing

@testable import SelfieAPI

/// What is counted of attempts where processes share a database. Each application stands for one of them.
@Suite(.enabled(if: PostgreSQLServer.isInstalled, "PostgreSQL's server is not installed"), .timeLimit(.minutes(5)))
struct `Attempts that processes count together` {
  private static let client = "198.51.100.7"

  /// What a test sees of a database.
  private struct Observed {
    let roundTrips: Monitor<Int>
    let isAway: Monitor<Bool>

    func number(_ sql: StaticString) async throws -> Int64 {
      try await TestDatabase.shared?.first(Query(sql), as: NumberRow.self)?.value ?? 0
    }

    /// How many round trips an attempt takes.
    func count(_ attempt: () async -> Response) async -> (status: Status, roundTrips: Int) {
      let before = roundTrips.withLock { $0 }
      let response = await attempt()
      return (response.status, roundTrips.withLock { $0 } - before)
    }
  }

  @concurrent private func observe(_ test: @concurrent @Sendable (Observed) async throws -> Void) async throws {
    try await SharedTestDatabases.lend { database in
      let observed = Observed(roundTrips: Monitor(0), isAway: Monitor(false))
      let check = { @Sendable in
        observed.roundTrips.withLock { $0 += 1 }
        if observed.isAway.withLock({ $0 }) { throw SharedDatabaseError(.away, "no connection") }
      }
      let shared = SharedDatabase(
        read: { queries in
          try check()
          return try await database.read(queries)
        },
        write: { queries, evidence in
          try check()
          return try await database.write(queries, evidence)
        },
        statistics: database.statistics, close: {})
      try await TestDatabase.$shared.withValue(shared) { try await test(observed) }
    }
  }

  private func signIn(
    _ api: APIFixture, _ email: String = "jane@example.com", password: String = "secret99", from peer: String? = nil
  ) async -> Response {
    let json = JSONWriter.object { json in
      json.member("email", email)
      json.member("password", APIFixture.encrypt(password))
    }
    let fields = [("Host", "h"), ("Content-Type", "application/json")] + APIFixture.Caller.app.fields
    return await api.application.respond(
      Request("POST", "/api/signin", fields: fields, body: json, peer: peer ?? "127.0.0.1"))
  }

  private func wrongKey(_ api: APIFixture, from peer: String? = nil) async -> Response {
    let fields = [(name: "Host", value: "h"), (name: "Authorization", value: "Basic bm9ib2R5Ondyb25n")]
    return await api.application.respond(
      Request("GET", "/api/get_token?email=a", fields: fields, peer: peer ?? Self.client))
  }

  private func signUp(_ api: APIFixture) async -> Response {
    let body = Array(#"{"full_name":"J","email":"x","password":"y"}"#.utf8)
    let fields = [("Host", "h"), ("Content-Type", "application/json")] + APIFixture.Caller.app.fields
    return await api.application.respond(Request("POST", "/api/signup", fields: fields, body: body, peer: Self.client))
  }

  @Test func `failures at two processes count for the same account`() async throws {
    try await observe { _ in
      let (one, other) = (try APIFixture(), try APIFixture())
      try await one.signUp()
      for _ in 0..<5 {
        #expect(await signIn(one).status == .unauthorized)
        #expect(await signIn(other).status == .unauthorized)
      }
      for api in [one, other] {
        let refused = await signIn(api, password: APIFixture.password)
        #expect(refused.status == .tooManyRequests)
        #expect(refused.tellsToWait(seconds: 180))
      }
    }
  }

  @Test func `the right password at one process clears the count of the other`() async throws {
    try await observe { database in
      let (one, other) = (try APIFixture(), try APIFixture())
      try await one.signUp()
      for _ in 0..<9 { #expect(await signIn(one).status == .unauthorized) }
      #expect(await signIn(other, password: APIFixture.password).status == .ok)
      #expect(try await database.number("SELECT count(*) FROM guesses") == 0)
      for _ in 0..<9 { #expect(await signIn(one).status == .unauthorized) }
      #expect(await signIn(one, password: APIFixture.password).status == .ok)
    }
  }

  @Test func `a password that is replaced clears the count, by its user or by the owner`() async throws {
    try await observe { database in
      let (one, other) = (try APIFixture(), try APIFixture())
      let token = try await one.newUser()
      for _ in 0..<9 { #expect(await signIn(one).status == .unauthorized) }
      let reset = [
        "old_password": APIFixture.encrypt(APIFixture.password), "new_password": APIFixture.encrypt("secret97"),
      ]
      #expect(await other.send("POST", "/api/reset_password", as: .holder(of: token), reset).status == .ok)
      #expect(try await database.number("SELECT count(*) FROM guesses") == 0)

      for _ in 0..<10 { #expect(await signIn(one).status == .unauthorized) }
      let user = try #require(try await other.application.users.find(email: "jane@example.com"))
      try await other.application.forgetFailures(of: user)
      #expect(await signIn(one, password: "secret97").status == .ok)
    }
  }

  @Test func `wrong API passwords at two processes count for the same client`() async throws {
    try await observe { database in
      let (one, other, third) = (try APIFixture(), try APIFixture(), try APIFixture())
      for _ in 0..<5 {
        #expect(await wrongKey(one).status == .unauthorized)
        #expect(await wrongKey(other).status == .unauthorized)
      }
      #expect(await wrongKey(other).status == .tooManyRequests)
      #expect(await wrongKey(one).status == .tooManyRequests)
      #expect(await wrongKey(one, from: "198.51.100.8").status == .unauthorized)
      // What a client does with the right API password is counted with it.
      #expect(await signIn(third, from: Self.client).status == .tooManyRequests)
      let fields = [(name: "Host", value: "h")] + APIFixture.Caller.app.fields
      let request = Request("GET", "/api/get_token?email=jane@example.com", fields: fields, peer: Self.client)
      #expect(await third.application.respond(request).status == .tooManyRequests)
      // A sign-up as well, and without a round trip more.
      let fourth = try APIFixture()
      #expect(await database.count { await signUp(fourth) } == (.tooManyRequests, 1))
      #expect(await database.count { await signUp(fourth) } == (.tooManyRequests, 0))
    }
  }

  @Test func `sign-ups at two processes count for the same client, and not as its failures`() async throws {
    try await observe { _ in
      let (one, other, third) = (try APIFixture(), try APIFixture(), try APIFixture())
      for _ in 0..<50 {
        #expect(await signUp(one).status == .badRequest)
        #expect(await signUp(other).status == .badRequest)
      }
      let refused = await signUp(third)
      #expect(refused.status == .tooManyRequests)
      #expect(refused.tellsToWait(seconds: 600))
      #expect(await wrongKey(one).status == .unauthorized)
    }
  }

  @Test func `a sign-in asks once and writes once, and who has to wait is asked for no more`() async throws {
    try await observe { database in
      let (one, other) = (try APIFixture(), try APIFixture())
      try await one.signUp()
      func count(_ api: APIFixture, _ password: String) async -> (status: Status, roundTrips: Int) {
        await database.count { await signIn(api, password: password, from: Self.client) }
      }
      #expect(await count(one, APIFixture.password) == (.ok, 2))
      #expect(await count(one, "secret99") == (.unauthorized, 2))
      #expect(await count(one, APIFixture.password) == (.ok, 2))
      for _ in 0..<9 { #expect(await database.count { await wrongKey(one) } == (.unauthorized, 1)) }
      #expect(await database.count { await wrongKey(other) } == (.tooManyRequests, 1))
      #expect(await database.count { await wrongKey(other) } == (.tooManyRequests, 0))
      #expect(await count(other, APIFixture.password) == (.tooManyRequests, 0))
      #expect(await database.count { await signUp(other) } == (.tooManyRequests, 0))
    }
  }

  @Test func `the clocks of the processes may differ`() async throws {
    try await observe { _ in
      let one = try APIFixture()
      let other = try APIFixture(clock: SettableClock(SettableClock.start - 86_400_000))
      try await one.signUp()
      for _ in 0..<10 { #expect(await signIn(one).status == .unauthorized) }
      let refused = await signIn(other, password: APIFixture.password)
      #expect(refused.status == .tooManyRequests)
      #expect(refused.tellsToWait(seconds: 180))
      try await APIFixture.ageAttempts(seconds: 181)
      #expect(await signIn(other, password: APIFixture.password).status == .ok)
    }
  }

  @Test func `a database's clock that is set back locks nobody out`() async throws {
    try await observe { _ in
      let api = try APIFixture()
      try await api.signUp()
      for _ in 0..<10 { #expect(await signIn(api).status == .unauthorized) }
      try await APIFixture.ageAttempts(seconds: -86_400)
      #expect(await signIn(api, password: APIFixture.password).status == .ok)
    }
  }

  @Test func `guesses at one account, at once at two processes, are ten for each at most`() async throws {
    try await observe { _ in
      let (one, other) = (try APIFixture(), try APIFixture())
      try await one.signUp()
      let statuses = await withTaskGroup(of: Int.self) { group in
        for number in 0..<80 { group.addTask { await signIn(number % 2 == 0 ? one : other).status.code } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      let hashed = [one, other].map { api in api.log.lines.count { $0.contains("\"event\": wrong_password") } }
      #expect(hashed.allSatisfy { $0 < 10 + APIFixture.hashingThreads })
      // Those that the database has refused to count were hashed too, but their clients are only told to wait.
      #expect(statuses.count { $0 == 401 } >= 10)
      #expect(statuses.allSatisfy { [401, 429].contains($0) })
      for api in [one, other] {
        #expect(await signIn(api, password: APIFixture.password).status == .tooManyRequests)
      }
    }
  }

  @Test func `the table has no addresses`() async throws {
    try await observe { database in
      let api = try APIFixture()
      for _ in 0..<3 { _ = await signIn(api, "flood@example.com", from: Self.client) }
      let rows = try await #require(TestDatabase.shared).rows(Query("SELECT key FROM guesses"))
      #expect(rows.count == 2)
      // Nor hashes that anybody could make.
      let known = ["failures user flood@example.com", "failures client \(Self.client)"].map { Array($0.utf8) }
      for row in rows {
        #expect(row.blob(0).count == 32)
        #expect(!known.map { Digest.sha256($0) }.contains(row.blob(0)))
        #expect(!known.map { Digest.hmacSHA256($0, key: []) }.contains(row.blob(0)))
      }
      let table = GuessTable(in: try #require(TestDatabase.shared), apiPassword: APIFixture.authPassword)
      #expect(Set(known.map { table.digest(String(decoding: $0, as: UTF8.self)) }) == Set(rows.map { $0.blob(0) }))
    }
  }

  @Test func `the table has no more times than the limits need`() async throws {
    try await observe { database in
      let api = try APIFixture()
      for number in 0..<30 {
        _ = await signIn(api, "flood\(number % 3)@example.com", from: "2001:db8:7:\(number)::1")
      }
      // Of 3 addresses, 30 networks of 64 bits, one of 56 and one of 48 bits.
      #expect(try await database.number("SELECT count(*) FROM guesses") == 35)
      for _ in 0..<11 { _ = await wrongKey(api, from: "2001:db8:7:1::1") }
      #expect(try await database.number("SELECT max(cardinality(times)) FROM guesses") == 30)
      #expect(try await database.number("SELECT count(*) FROM guesses WHERE cardinality(times) > 1") == 5)
      try await api.pass(seconds: 181)
      _ = await signIn(api, "flood0@example.com", from: "2001:db8:7:1::1")
      #expect(try await database.number("SELECT count(*) FROM guesses") == 35)
      #expect(try await database.number("SELECT count(*) FROM guesses WHERE cardinality(times) > 1") == 2)
    }
  }

  @Test func `what no limit asks for any more is swept, and nothing else`() async throws {
    try await observe { database in
      let api = try APIFixture()
      _ = await wrongKey(api)
      try await APIFixture.ageAttempts(seconds: 500)
      _ = try await TestDatabase.shared?.write(
        [
          Query(
            """
            INSERT INTO guesses (key, times, used_at)
            SELECT sha256(number::text::bytea), ARRAY[0], 0 FROM generate_series(1, 2500) AS number
            """)
        ], nil)
      _ = await wrongKey(api, from: "198.51.100.8")
      try await api.application.prune()
      #expect(try await database.number("SELECT count(*) FROM guesses") == 2)
      try await APIFixture.ageAttempts(seconds: 101)
      try await api.application.prune()
      #expect(try await database.number("SELECT count(*) FROM guesses") == 1)
    }
  }

  @Test func `what cannot be counted is refused`() async throws {
    try await observe { database in
      let api = try APIFixture()
      try await api.signUp()
      database.isAway.withLock { $0 = true }
      for response in [await signIn(api), await wrongKey(api), await signUp(api)] {
        #expect(response.status == .serviceUnavailable)
        #expect(response.fields["X-Error"] == "database_away")
      }
      database.isAway.withLock { $0 = false }
      #expect(await signIn(api, password: APIFixture.password).status == .ok)
    }
  }
}
