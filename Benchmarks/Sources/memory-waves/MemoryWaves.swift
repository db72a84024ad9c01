import Glibc
import LoadTesting
import Measuring
import Platform

/// Measures how much memory a server takes while waves of clients try to make it hold as much as they can, whether it
/// gives the memory back, and whether a healthy client is served meanwhile.
///
/// bin/crowd starts a server for it. By hand: `memory-waves PORT PID LIMIT BASIC TOKEN OWNER NOTES`, where LIMIT
/// is the server's MEMORY_LIMIT, BASIC the base64 of the API's name and password, TOKEN the token of a user with a few
/// photos, OWNER the token of one to whom it uploads thousands, and NOTES the base64 of the email address and password of
/// one with a long note. With `-` in place of the last four, the server is `unreserved-memory`.
@main
struct MemoryWaves {
  /// What the process may take above the limit, as Docs/Limits.md says: what it has for itself, and what the allocator cannot
  /// give back at once.
  private static let maxOverhead = 150_000_000
  /// What may remain of a wave.
  private static let maxLeft = 32 << 20
  /// Seconds until memory must have come back.
  private static let settlingTime = 12.0
  /// Seconds that most requests of the healthy client may take.
  private static let maxLatency = 0.1

  static func main() throws {
    let arguments = arguments("memory-waves PORT PID LIMIT BASIC TOKEN OWNER NOTES")
    signal(SIGPIPE, SIG_IGN)
    try raiseDescriptorLimit()
    let port = UInt16(clamping: number(arguments[0]))
    let server = ServerProcess(pid: Int32(clamping: number(arguments[1])))
    let limit = number(arguments[2])
    let (basic, token, owner) = (arguments[3], arguments[4], arguments[5])
    do {
      let isProduct = basic != "-"
      if isProduct { try LongList(port: port, token: owner).upload() }
      _ = try healthy(port, token)
      var isWithstood = true
      print("| wave | clients | resident MB: before | most | after | healthy requests | failed | p99 ms |")
      print("|---|---|---|---|---|---|---|---|")
      let product = isProduct ? Wave.all(basic: basic, token: token, owner: owner, notes: arguments[6]) : []
      for wave in isProduct ? product : Wave.unreserved {
        let before = try server.sample().residentBytes
        let client = try HealthyClient(port: port, token: token)
        let (most, refused) = try wave.run(port: port, against: server)
        var latencies = client.stop()
        for _ in 0..<refused { latencies.add(0, isAnswered: false) }
        pause(settlingTime)
        let after = try server.sample().residentBytes
        let sizes = [before, most, after].map { decimals(Double($0) / 1e6, 1) }.joined(separator: " | ")
        print(
          "| \(wave.name) | \(wave.clients) | \(sizes) | \(latencies.count) | \(latencies.failures) "
            + "| \(decimals(latencies.quantile(0.99) * 1000, 1)) |")
        isWithstood =
          isWithstood && most <= limit + maxOverhead && after - before <= maxLeft && latencies.failures == 0
          && latencies.quantile(0.99) <= maxLatency
      }
      print(
        """

        - [\(isWithstood ? "x" : " ")] No wave takes more than MEMORY_LIMIT and \(maxOverhead / 1_000_000) MB, all but \
        \(maxLeft >> 20) MiB come back, and every request of the healthy client is answered, 99 % of them within \
        \(Int(maxLatency * 1000)) ms
        """)
      exit(isWithstood ? 0 : 1)
    } catch {
      fail("memory-waves: \(error)")
    }
  }

  /// Fills caches and starts threads before anything is measured.
  private static func healthy(_ port: UInt16, _ token: String) throws -> Latencies {
    let client = try HealthyClient(port: port, token: token)
    pause(1)
    return client.stop()
  }
}
