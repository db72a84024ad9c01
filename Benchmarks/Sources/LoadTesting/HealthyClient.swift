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

/// A persistent connection with blocking reads.
private final class BlockingConnection {
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  init?(port: UInt16) {
    guard let descriptor = Loopback.open(port: port) else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Sends a request and reads the response. Returns whether that is a complete 200.
  func isAnswered(_ request: [UInt8]) -> Bool {
    guard send(descriptor, request, request.count, 0) == request.count else { return false }
    var count = 0
    while count < buffer.count {
      let received = buffer.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, 0)
      }
      guard received > 0 else { return false }
      count += received
      if let length = Self.length(of: buffer[..<count]), count >= length {
        return count == length && buffer.starts(with: "HTTP/1.1 200 ".utf8)
      }
    }
    return false
  }

  /// The length of the whole response, once its head has arrived.
  private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
    guard let end = find("\r\n\r\n", in: bytes), let field = find("\r\nContent-Length: ", in: bytes) else { return nil }
    var length = 0
    for byte in bytes[field...].prefix(while: { $0 != 0x0d }) { length = length * 10 + Int(byte) - 48 }
    return end + length
  }

  /// The index after the first occurrence.
  private static func find(_ text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    text.withUTF8Buffer { wanted in
      guard bytes.count >= wanted.count else { return nil }
      let last = bytes.endIndex - wanted.count
      return (bytes.startIndex...last).first { bytes[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }
  }
}
