import Platform
import PostgreSQL
import SQL
import SelfieAPI
import TestSupport

/// Databases with the product's tables, on the PostgreSQL server of this process's tests. To make one takes as long as
/// some tests, so that they are used again.
enum SharedTestDatabases {
  /// Each takes two connections.
  private static let maxDatabases = 8

  private struct State {
    /// Nil for one that is to be made.
    var unused = [(any SharedDatabase)?](repeating: nil, count: maxDatabases)
    var waiting: [CheckedContinuation<(any SharedDatabase)?, Never>] = []
    var made = 0
  }

  private static let state = Monitor(State())

  /// Runs `body` with a database whose tables are empty, and which nobody else uses meanwhile.
  @concurrent static func lend(
    _ body: @concurrent @Sendable (any SharedDatabase) async throws -> Void
  ) async throws {
    let unused = await take()
    let database: any SharedDatabase
    do {
      database = if let unused { unused } else { try await Blocking.run { try make() } }
    } catch {
      give(nil)
      throw error
    }
    defer { give(database) }
    _ = try await database.write(locking: []) { try $0.run(clearing) }
    try await body(database)
  }

  private static func take() async -> (any SharedDatabase)? {
    await withCheckedContinuation { continuation in
      let taken = state.withLock { state -> (any SharedDatabase)?? in
        if let unused = state.unused.popLast() { return .some(unused) }
        state.waiting.append(continuation)
        return nil
      }
      if let taken { continuation.resume(returning: taken) }
    }
  }

  private static func give(_ database: (any SharedDatabase)?) {
    let next = state.withLock { state -> CheckedContinuation<(any SharedDatabase)?, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.unused.append(database)
      return nil
    }
    next?.resume(returning: database)
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
    TRUNCATE users, tokens, photos, photo_bytes, removed_photos, uploads, notes, microblog_users, microblog_sessions,
      blogposts, guesses RESTART IDENTITY
    """)
}
