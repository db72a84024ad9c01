import Platform
import PostgreSQL
import SQL
import SelfieAPI
import TestSupport

/// Databases with the product's tables, on the PostgreSQL server of this process's tests: as many as there are tests at
/// once. To make one takes as long as some tests, so that they are used again.
enum SharedTestDatabases {
  private static let state = Monitor((unused: [any SharedDatabase](), made: 0))

  /// Runs `body` with a database whose tables are empty, and which nobody else uses meanwhile.
  @concurrent static func lend(
    _ body: @concurrent @Sendable (any SharedDatabase) async throws -> Void
  ) async throws {
    let unused = state.withLock { $0.unused.popLast() }
    let database = if let unused { unused } else { try await Blocking.run { try make() } }
    defer { state.withLock { $0.unused.append(database) } }
    _ = try await database.write(locking: []) { try $0.run(clearing) }
    try await body(database)
  }

  private static func make() throws -> any SharedDatabase {
    let number = state.withLock { state in
      state.made += 1
      return state.made
    }
    let server = try PostgreSQLServer.shared
    try server.run("CREATE DATABASE stores\(number)")
    let url = try DatabaseURL(server.address(of: "stores\(number)"))
    _ = try Migrations.postgreSQL.run(on: url, now: 0)
    return PostgreSQLDatabase(url, clock: { monotonicMilliseconds() })
  }

  private static let clearing = Query(
    """
    TRUNCATE users, tokens, photos, photo_bytes, removed_photos, uploads, notes, note_bytes, microblog_users,
      microblog_sessions, blogposts, guesses RESTART IDENTITY
    """)
}
