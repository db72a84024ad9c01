import Glibc
import LoadTesting
import Measuring
import Platform
import Synchronization

/// Measures how long a healthy client's sign-ins take while 300 connections sign up without pause, all from one address
/// and then each from an address of its own. The server must hash with its default cost and trust X-Forwarded-For.
///
/// By hand: `hostile-crowd sign-ups PORT BASIC PASSWORD [--quick]`, where BASIC is the base64 of the API's name and
/// password, and PASSWORD is that of jo@example.com, as the app encrypts it.
struct SignupFlood {
  private static let connections = 300
  /// Seconds between two sign-ins of the healthy client.
  private static let interval = 0.1
  /// The p99 with a crowd, as a multiple of the quiet one: a sign-in may wait for two hashes that have begun, and for one
  /// of each turn before it.
  private static let maxSlowdown = 5.0

  private let port: UInt16
  private let basic: String
  private let password: String
  private let seconds: Double

  init?(_ arguments: [String]) {
    let isQuick = arguments.contains("--quick")
    let rest = arguments.filter { $0 != "--quick" }
    guard rest.count == 3, let port = UInt16(rest[0]) else { return nil }
    self.port = port
    (basic, password) = (rest[1], rest[2])
    seconds = isQuick ? 5 : 20
  }

  /// Prints the findings. Returns whether the goals are met.
  func run() throws -> Bool {
    _ = signIns(for: 1)
    let quiet = signIns(for: seconds)
    let one = try flooded { _ in 0 }
    let many = try flooded { $0 }
    let rows = [("quiet", quiet), ("300 sign up from one address", one), ("300 sign up from 300 addresses", many)]
    print("| sign-ins of a healthy client | | failed | p50 ms | p99 ms | max ms |\n|---|---|---|---|---|---|")
    for (name, latencies) in rows {
      let times = [0.5, 0.99, 1].map { decimals(latencies.quantile($0) * 1000, 1) }
      print("| \(name) | \(latencies.count) | \(latencies.failures) | \(times.joined(separator: " | ")) |")
    }
    print("")
    return rows.dropFirst().map { judge($0, $1, quiet) }.allSatisfy(\.self)
  }

  private func judge(_ name: String, _ latencies: Latencies, _ quiet: Latencies) -> Bool {
    let factor = latencies.quantile(0.99) / quiet.quantile(0.99)
    let isMet = factor < Self.maxSlowdown && latencies.failures == 0
    print(
      "- [\(isMet ? "x" : " ")] While \(name), every sign-in succeeds, and its p99 is \(decimals(factor, 1)) times the "
        + "quiet one, less than \(decimals(Self.maxSlowdown, 0))")
    return isMet
  }

  /// The healthy client's sign-ins while each connection of the crowd signs up from the address that it is given.
  private func flooded(address: @escaping @Sendable (_ connection: Int) -> Int) throws -> Latencies {
    let shared = Shared()
    let threads = try (0..<Self.connections).map { number in
      try Thread(named: "signup-\(number)") { [self] in signUp(from: address(number), as: number, shared) }
    }
    pause(2)
    let latencies = signIns(for: seconds)
    shared.isOver.store(true, ordering: .relaxed)
    for thread in threads { thread.join() }
    print("\(shared.answers.load(ordering: .relaxed)) sign-ups were answered.\n")
    return latencies
  }

  private final class Shared: Sendable {
    let isOver = Atomic<Bool>(false)
    let answers = Atomic<Int>(0)
  }

  private func signUp(from address: Int, as number: Int, _ shared: Shared) {
    var round = 0
    var connection: Int32?
    while !shared.isOver.load(ordering: .relaxed) {
      guard let descriptor = connection ?? Loopback.open(port: port, timeout: 60) else { continue }
      connection = descriptor
      round += 1
      let email = "crowd-\(address)-\(number)-\(round)-\(getpid())@example.com"
      let json = "{\"full_name\":\"x\",\"email\":\"\(email)\",\"password\":\"\(password)\"}"
      _ = Exchange.send(request("signup", json, from: "203.0.\(address >> 8).\(address & 255)"), to: descriptor)
      var buffer = [UInt8](repeating: 0, count: 16 * 1024)
      if recv(descriptor, &buffer, buffer.count, 0) > 0 {
        shared.answers.add(1, ordering: .relaxed)
      } else {
        close(descriptor)
        connection = nil
      }
    }
    if let connection { close(connection) }
  }

  private func signIns(for seconds: Double) -> Latencies {
    let request = request("signin", "{\"email\":\"jo@example.com\",\"password\":\"\(password)\"}", from: "198.51.100.7")
    var latencies = Latencies()
    let end = monotonicSeconds() + seconds
    while monotonicSeconds() < end {
      let start = monotonicSeconds()
      let descriptor = Loopback.open(port: port, timeout: 60)
      let isAnswered = descriptor.map { Exchange.send(request, to: $0) && Exchange.isAnswered(on: $0) } ?? false
      if let descriptor { close(descriptor) }
      latencies.add(monotonicSeconds() - start, isAnswered: isAnswered)
      pause(Self.interval)
    }
    return latencies
  }

  private func request(_ action: String, _ json: String, from address: String) -> [UInt8] {
    Array(
      """
      POST /api/\(action) HTTP/1.1\r
      Host: localhost\r
      Authorization: Basic \(basic)\r
      X-Forwarded-For: \(address)\r
      Content-Type: application/json\r
      Content-Length: \(json.utf8.count)\r
      \r
      \(json)
      """.utf8)
  }
}
