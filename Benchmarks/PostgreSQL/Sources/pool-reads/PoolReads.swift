import Cryptography
import Glibc
import Measuring
import Platform
import PostgreSQL
import SQL

/// Looks up the photos of tokens in a database, on one thread, with so many look-ups on their way at once.
///
/// Prints how many it does per second.
@main
struct PoolReads {
  /// Benchmarks/Cases/postgresql.sh gives pgbench the same statement.
  private static let sql: StaticString = """
    SELECT users.disabled_at, tokens.user_id, tokens.expires_at, tokens.created_at,
      photos.id, photos.name, photos.title, photos.created_at, photos.updated_at, photos.random_id
    FROM tokens JOIN users ON users.id = tokens.user_id
    LEFT JOIN photos ON photos.user_id = tokens.user_id AND tokens.expires_at > 5 AND users.disabled_at IS NULL
    WHERE tokens.digest = int8send($1::bigint) ORDER BY photos.id
    """

  static func main() throws {
    let arguments = arguments("pool-reads URL CONNECTIONS IN-FLIGHT SECONDS")
    let (connections, inFlight) = (number(arguments[1]), number(arguments[2]))
    let seconds = Double(number(arguments[3]))
    var limits = PoolLimits()
    (limits.maxReadConnections, limits.maxWriteConnections) = (connections, 0)
    // As many as there are connections are one on each.
    if inFlight <= connections { limits.maxShared = 1 }
    let pool = try ConnectionPool(
      DatabaseURL(arguments[0]), limits: limits, lookUps: WorkerPool(name: "look-ups", threads: 1, waiting: 10),
      clock: { monotonicMilliseconds() }, random: .system)
    while pool.readyCount < connections { wait(for: pool) }

    let start = monotonicSeconds()
    var (done, outstanding, user) = (0, 0, Int64(0))
    while monotonicSeconds() - start < seconds {
      while outstanding < inFlight {
        user = (user &* 7919 &+ 13) % 1000
        outstanding += 1
        pool.read([Query(sql, .integer(user))]) { result in
          outstanding -= 1
          guard case .success(let results) = result, let rows = results.first, rows.count == 3, rows[2].text(9) != nil
          else { fail("a look-up failed: \(result)") }
          done += 1
        }
      }
      wait(for: pool)
    }
    print(decimals(Double(done) / (monotonicSeconds() - start), 2))
    pool.close()
  }

  private static func wait(for pool: ConnectionPool) {
    pool.sendWaiting()
    var waited = pollfd(fd: pool.descriptor, events: Int16(POLLIN), revents: 0)
    poll(&waited, 1, 100)
    pool.process()
  }
}
