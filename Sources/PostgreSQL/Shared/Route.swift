import SQL

/// How the caller reaches the database: by the pool of its own thread, or by the thread for everybody else.
///
/// It is not Sendable, as the pool is not: what is asked and the response to it stay on the caller's executor.
enum Route {
  case pool(ConnectionPool)
  case thread(DatabaseThread)

  func read(_ queries: [Query]) async throws -> [Rows] {
    switch self {
    case .pool(let pool): try await pool.read(queries)
    case .thread(let thread): try await thread.read(queries)
    }
  }

  func write(_ queries: [Query]) async throws -> [Rows] {
    switch self {
    case .pool(let pool): try await pool.write(queries)
    case .thread(let thread): try await thread.write(queries)
    }
  }

  func wait(milliseconds: Int64) async {
    switch self {
    case .pool(let pool): await pool.wait(milliseconds: milliseconds)
    case .thread(let thread): await thread.wait(milliseconds: milliseconds)
    }
  }
}
