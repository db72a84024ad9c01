import Glibc
import LoadTesting
import Measuring

/// Measures whether other clients are served while 520 connections of one address download a photo and read nothing of it,
/// and the server may have 1,024 descriptors: each of these downloads needs two.
///
/// By hand: `hostile-crowd downloads PORT TOKEN PHOTO`, where TOKEN is a user's, and PHOTO the id of a photo of megabytes.
struct DownloadFlood {
  private static let connections = 520
  /// Seconds: longer than a slow client is waited for.
  private static let duration = 12.0
  private static let interval = 0.05

  private let port: UInt16
  private let token: String
  private let request: [UInt8]

  init?(_ arguments: [String]) {
    let rest = arguments.filter { $0 != "--quick" }
    guard rest.count == 3, let port = UInt16(rest[0]) else { return nil }
    self.port = port
    token = rest[1]
    request = Array("GET /photos/\(rest[2]) HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
  }

  /// Prints the findings. Returns whether the goal is met.
  func run() throws -> Bool {
    let client = try HealthyClient(port: port, token: token)
    var descriptors: [Int32] = []
    let end = monotonicSeconds() + Self.duration
    var (served, refused) = (0, 0)
    while monotonicSeconds() < end {
      while descriptors.count < Self.connections {
        guard let descriptor = Loopback.begin(port: port, source: 0x7f00_0002, isTiny: true) else { break }
        descriptors.append(descriptor)
      }
      if served + refused == 0 {
        pause(1)
        for descriptor in descriptors { _ = Exchange.send(request, to: descriptor) }
      }
      if Exchange.isServed(port: port) { served += 1 } else { refused += 1 }
      pause(Self.interval)
    }
    let latencies = client.stop()
    for descriptor in descriptors { close(descriptor) }
    let isMet = refused + latencies.failures == 0
    print(
      "- [\(isMet ? "x" : " ")] While \(Self.connections) connections download and read nothing, with 1,024 descriptors, "
        + "\(latencies.count - latencies.failures) of \(latencies.count) requests of the healthy client and \(served) of "
        + "\(served + refused) new clients are served (p99 \(decimals(latencies.quantile(0.99) * 1000, 1)) ms)")
    return isMet
  }
}
