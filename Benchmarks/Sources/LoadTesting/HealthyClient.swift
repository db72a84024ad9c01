import Glibc
import Measuring
import Platform
import Synchronization

/// The client that a crowd must not harm. It sends 500 requests a second on four persistent connections, GET /up and
/// get_photos in turn.
public final class HealthyClient {
  private static let connections = 4
  private static let interval = 0.008

  private let shared = Shared()
  private var threads: [Thread] = []

  private final class Shared: Sendable {
    let isOver = Atomic<Bool>(false)
    let latencies = Mutex(Latencies())
  }

  public init(port: UInt16, token: String) throws {
    for number in 0..<Self.connections {
      let thread = try Thread(named: "healthy-\(number)") { [shared] in
        // Where the process may have it, so that the server and the crowd do not keep the client waiting for a core.
        var priority = sched_param(sched_priority: 1)
        _ = pthread_setschedparam(pthread_self(), SCHED_RR, &priority)
        // The connections send their requests at different moments.
        pause(Self.interval * Double(number) / Double(Self.connections))
        let latencies = Self.ask(port, token, shared)
        shared.latencies.withLock { $0.add(latencies) }
      }
      threads.append(thread)
    }
  }

  /// Ends the requests, and returns how long each took.
  public func stop() -> Latencies {
    shared.isOver.store(true, ordering: .relaxed)
    for thread in threads { thread.join() }
    threads = []
    return shared.latencies.withLock { $0 }
  }

  private static func ask(_ port: UInt16, _ token: String, _ shared: Shared) -> Latencies {
    let requests = [
      "GET /up HTTP/1.1\r\nHost: localhost\r\n\r\n",
      "GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(token)\r\n\r\n",
    ].map { Array($0.utf8) }
    var latencies = Latencies()
    var connection: BlockingConnection?
    var due = monotonicSeconds()
    var number = 0
    while !shared.isOver.load(ordering: .relaxed) {
      due += interval
      let now = monotonicSeconds()
      pause(due - now)
      // If the previous response was late, the wait counts from when this request was due. The scheduler's delay in
      // waking this thread is not the server's.
      let start = now > due ? due : monotonicSeconds()
      if connection == nil { connection = BlockingConnection(port: port) }
      let isAnswered = connection?.isAnswered(requests[number % requests.count]) ?? false
      latencies.add(monotonicSeconds() - start, isAnswered: isAnswered)
      if !isAnswered { connection = nil }
      number += 1
    }
    return latencies
  }
}
