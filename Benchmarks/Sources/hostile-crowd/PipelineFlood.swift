import Glibc
import LoadTesting
import Measuring
import Platform

/// Measures how long a healthy client waits while 200 connections each send 600 requests at once, every second, and read
/// nothing; or while 600 connections of another address ask for a long note every second, and read it.
///
/// By hand: `hostile-crowd pipelines PORT TOKEN [--quick]`, where TOKEN is a user's, or `hostile-crowd notes PORT TOKEN
/// BASIC [--quick]`, where BASIC is the base64 of the email address and password of a user with a long note.
struct PipelineFlood {
  private let name: String
  private let connections: Int
  private let requests: [UInt8]
  private let isRead: Bool
  /// The p99 with the flood, as a multiple of the quiet one.
  private static let maxSlowdown = 5.0
  /// What the p99 may be in any case, in seconds. A turn of the server that begins a hundred pipelining connections takes
  /// 2 ms. The long notes of a second are half a gigabyte, which two cores write, and read here, for a good part of it.
  private let unremarkable: Double

  private let port: UInt16
  private let token: String
  private let rounds: Int

  init?(_ arguments: [String]) {
    let rest = arguments.filter { $0 != "--quick" }
    guard (2...3).contains(rest.count), let port = UInt16(rest[0]) else { return nil }
    self.port = port
    token = rest[1]
    isRead = rest.count == 3
    if isRead {
      (name, connections, unremarkable) = ("600 clients ask for a long note every second", 600, 0.01)
      let field = "Authorization: Basic \(rest[2])"
      requests = Array("GET /notes/1.json?token=token HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n".utf8)
    } else {
      (name, connections, unremarkable) = ("200 clients pipeline 600 requests a second", 200, 0.002)
      requests = Array(String(repeating: "GET /up HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 600).utf8)
    }
    rounds = arguments.contains("--quick") ? 1 : 4
  }

  /// Prints the findings. Returns whether the goal is met.
  func run() throws -> Bool {
    _ = try healthy(for: 1)
    var (quiet, flooded) = (Latencies(), Latencies())
    // In turns, because other work of the machine disturbs both.
    for _ in 0..<rounds {
      quiet.add(try healthy(for: 5))
      flooded.add(try healthyInFlood(for: 5))
    }
    print("| healthy client | requests | failed | p50 ms | p99 ms | max ms |\n|---|---|---|---|---|---|")
    for (name, latencies) in [("quiet", quiet), (name, flooded)] {
      let times = [0.5, 0.99, 1].map { decimals(latencies.quantile($0) * 1000, 2) }
      print("| \(name) | \(latencies.count) | \(latencies.failures) | \(times.joined(separator: " | ")) |")
    }
    let p99 = flooded.quantile(0.99)
    let factor = p99 / quiet.quantile(0.99)
    let isFast = factor < Self.maxSlowdown || p99 < unremarkable
    let isMet = isFast && quiet.failures + flooded.failures == 0
    print(
      "\n- [\(isMet ? "x" : " ")] While \(name), every request of the healthy client is answered, and "
        + "its p99 is \(decimals(factor, 1)) times the quiet one, less than \(decimals(Self.maxSlowdown, 0)), or less than "
        + "\(decimals(unremarkable * 1000, 0)) ms")
    return isMet
  }

  private func healthy(for seconds: Double) throws -> Latencies {
    let client = try HealthyClient(port: port, token: token)
    pause(seconds)
    return client.stop()
  }

  private func healthyInFlood(for seconds: Double) throws -> Latencies {
    let isOver = Flag()
    // The attackers' own work must not slow the healthy client down.
    let thread = try Thread(named: "flood", niceness: 10) { flood(until: isOver) }
    defer {
      isOver.raise()
      thread.join()
    }
    return try healthy(for: seconds)
  }

  private func flood(until isOver: Flag) {
    let descriptors = (0..<connections).compactMap { _ in Loopback.open(port: port, source: 0x7f00_0002) }
    while !isOver.isRaised {
      for descriptor in descriptors { _ = Exchange.send(requests, to: descriptor) }
      let end = monotonicSeconds() + 1
      while monotonicSeconds() < end {
        if isRead { for descriptor in descriptors { discard(descriptor) } }
        pause(0.02)
      }
    }
    for descriptor in descriptors { close(descriptor) }
  }

  /// Throws away what has come.
  private func discard(_ descriptor: Int32) {
    while recv(descriptor, nil, 4 << 20, Int32(MSG_DONTWAIT | MSG_TRUNC)) > 0 {}
  }
}
