import CLinux
import Glibc
import LoadTesting
import Measuring

/// Opens CONNECTIONS and lists the photos on them in turn for SECONDS, with IN_FLIGHT requests at any moment. Prints the
/// responses per second, their p50 and p99 in milliseconds, and how many connections the server refused.
@main
struct KeepAliveClients {
  static func main() {
    let arguments = arguments("keep-alive-clients PORT CONNECTIONS IN_FLIGHT SECONDS TOKEN")
    guard let port = UInt16(arguments[0]) else { fail("\(arguments[0]) is no port") }
    var clients = Clients(port: port, count: number(arguments[1]), token: arguments[4])
    clients.ask(inFlight: number(arguments[2]), until: monotonicSeconds() + 1)
    clients.forget()
    let (seconds, start) = (number(arguments[3]), monotonicSeconds())
    clients.ask(inFlight: number(arguments[2]), until: start + Double(seconds))
    let rate = Double(clients.latencies.count) / (monotonicSeconds() - start)
    let (p50, p99) = (clients.latencies.quantile(0.5) * 1000, clients.latencies.quantile(0.99) * 1000)
    print("\(decimals(rate, 0)) \(decimals(p50, 2)) \(decimals(p99, 2)) \(clients.refused)")
  }
}

/// The clients, on one thread with one epoll instance.
struct Clients {
  private let epoll = clinux_epoll_create()
  private let descriptors: [Int32]
  private let request: [UInt8]
  /// When each client's request was sent; nil if it waits for no response.
  private var sentAt: [Double?]
  /// The clients that wait for their turn, the next one at `next`.
  private var idle: [Int]
  private var next = 0
  private var inFlight = 0
  private(set) var latencies = Latencies()
  private(set) var refused = 0

  private static let mostEvents = 256

  init(port: UInt16, count: Int, token: String) {
    request = Array(
      "GET /api/get_photos HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token token=\(token)\r\n\r\n".utf8)
    descriptors = (0..<count).map { Loopback.open($0, port: port) }
    sentAt = Array(repeating: nil, count: count)
    idle = Array(0..<count)
    for (index, descriptor) in descriptors.enumerated() { clinux_epoll_add_level(epoll, descriptor, UInt64(index)) }
  }

  mutating func forget() { latencies = Latencies() }

  mutating func ask(inFlight most: Int, until end: Double) {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    withUnsafeTemporaryAllocation(of: clinux_event.self, capacity: Self.mostEvents) { events in
      while monotonicSeconds() < end {
        while inFlight < most, next < idle.count { send() }
        let count = Int(clinux_epoll_wait(epoll, events.baseAddress, Int32(Self.mostEvents), 100))
        for event in events.prefix(max(0, count)) { receive(Int(event.token), &buffer) }
      }
    }
  }

  private mutating func send() {
    let client = idle[next]
    next += 1
    // So that the queue does not grow for ever.
    if next > 65_536 { (idle, next) = (Array(idle[next...]), 0) }
    sentAt[client] = monotonicSeconds()
    inFlight += 1
    _ = Exchange.send(request, to: descriptors[client])
  }

  /// Takes a response, all of which arrives at once, or the end of a connection that was refused.
  private mutating func receive(_ client: Int, _ buffer: inout [UInt8]) {
    let count = recv(descriptors[client], &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN { return }
    if let sent = sentAt[client] {
      inFlight -= 1
      sentAt[client] = nil
      if count > 0, buffer.starts(with: "HTTP/1.1 200 ".utf8) {
        latencies.add(monotonicSeconds() - sent, isAnswered: true)
        return idle.append(client)
      }
    }
    refused += 1
    idle[next...].removeAll { $0 == client }
    close(descriptors[client])
  }
}
