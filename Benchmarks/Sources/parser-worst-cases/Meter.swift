import Glibc
import Measuring

/// Sends requests, and measures what they cost the server.
final class Meter {
  struct Cost: CustomStringConvertible {
    let name: String
    /// Nanoseconds of processor time for each byte of the input, of all threads together.
    let smallPerByte: Double
    let largePerByte: Double
    /// Milliseconds for which an event loop was held once the last piece of a request had come.
    let loopMilliseconds: Double
    /// Milliseconds of processor time for the larger input, if it fills a field or the target; 0 for bodies, whose time is
    /// in proportion to their size or that of a password's hash.
    let milliseconds: Double

    /// How much more a byte of the larger input costs. Below ten nanoseconds it says more about caches than about
    /// parsers.
    var growth: Double { max(10, largePerByte) / max(10, smallPerByte) }

    var description: String {
      let figures = [
        (smallPerByte, 1), (largePerByte, 1), (growth, 2), (loopMilliseconds, 2), (milliseconds, 2),
      ]
      return ([name] + figures.map(decimals)).joined(separator: "\t")
    }
  }

  private let port: UInt16
  private let process: Int
  private var connection: Int32?

  init(port: UInt16, process: Int) {
    self.port = port
    self.process = process
  }

  func measure(_ input: Input) -> Cost {
    let sizes = input.place.sizes
    // First, because the server waits for a second, in eight turns, before it responds to a tenth wrong password.
    let loopMilliseconds = lastTurn(of: input.request(sizes.large)) / 1e6
    // Two sizes are subtracted from others, so that what every request costs counts for nothing.
    let none = cost(of: input.request(64), seconds: 0.05)
    let small = cost(of: input.request(sizes.small), seconds: 0.1)
    let large = cost(of: input.request(sizes.large), seconds: 0.2)
    return Cost(
      name: input.name, smallPerByte: max(0, small - none) / Double(sizes.small),
      largePerByte: max(0, large - none) / Double(sizes.large), loopMilliseconds: loopMilliseconds,
      milliseconds: input.place == .field || input.place == .target ? large / 1e6 : 0)
  }

  /// Measures the input of a family that holds an event loop longest.
  func measure(_ family: Family) -> Cost? {
    let costs = family.inputs.map { ($0, lastTurn(of: $0.request($0.place.sizes.large), tries: 2)) }
    return costs.max { $0.1 < $1.1 }.map { measure($0.0) }
  }

  /// Nanoseconds of the event loops from the last kilobyte of a request to the end of its exchange. What came before has
  /// been read by then, so this is one turn of a loop, or two where a worker parses.
  private func lastTurn(of request: [UInt8], tries: Int = 5) -> Double {
    let last = max(0, request.count - 1024)
    // The least of several, as below.
    return (0..<tries).map { _ in
      var before = 0.0
      exchange(request, pausingAt: last) { before = loopTimeAtRest() }
      return loopTimeAtRest() - before
    }.min() ?? 0
  }

  /// The time of the event loops once they have nothing left to do.
  private func loopTimeAtRest() -> Double {
    var time = times().loops
    while true {
      pause(0.005)
      let later = times().loops
      if later == time { return time }
      time = later
    }
  }

  /// Nanoseconds of processor time for one such request.
  func cost(of request: [UInt8], seconds: Double) -> Double {
    exchange(request)
    var best = Double.infinity
    // The least of several runs: other work on this machine only adds to it.
    for _ in 0..<3 {
      let begin = monotonicSeconds()
      let before = times()
      var count = 0.0
      repeat {
        exchange(request)
        count += 1
      } while monotonicSeconds() - begin < seconds / 3
      // What the server does after a response counts too.
      pause(0.002)
      let after = times()
      best = min(best, (after.all - before.all) / count)
    }
    return best
  }

  /// Nanoseconds of processor time so far: of the event loops' threads, and of all.
  private func times() -> (loops: Double, all: Double) {
    var sums: (loops: Double, all: Double) = (0, 0)
    let folder = "/proc/\(process)/task"
    guard let directory = opendir(folder) else { fail("no process \(process)") }
    defer { closedir(directory) }
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      // schedstat: nanoseconds on a processor, nanoseconds of waiting for one, turns.
      guard let time = text("\(folder)/\(name)/schedstat").split(separator: " ").first.flatMap({ Double($0) }) else {
        continue
      }
      sums.all += time
      if text("\(folder)/\(name)/comm").hasPrefix("http-") { sums.loops += time }
    }
    return sums
  }

  private func text(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  // MARK: - Exchanges

  /// Sends a request and reads its response. Connects anew if the server has closed the connection.
  ///
  /// - Parameters:
  ///   - place: how much to send before a pause; 0 for none.
  ///   - atPause: what to do in the pause.
  private func exchange(_ request: [UInt8], pausingAt place: Int = 0, atPause: () -> Void = {}) {
    for _ in 0..<3 {
      guard let descriptor = connection ?? Loopback.open(port: port, timeout: 60) else {
        fail("cannot connect to port \(port)")
      }
      connection = descriptor
      // A server that refuses a request early may close before it has all of it.
      _ = Exchange.send(Array(request[..<place]), to: descriptor)
      atPause()
      _ = Exchange.send(Array(request[place...]), to: descriptor)
      if let isKept = readResponse(descriptor) {
        if !isKept { disconnect() }
        return
      }
      disconnect()
    }
    fail("no response to \(String(decoding: request.prefix(300), as: UTF8.self))")
  }

  private func disconnect() {
    if let connection { close(connection) }
    connection = nil
  }

  /// Whether the connection is kept; nil if there was no response.
  private func readResponse(_ descriptor: Int32) -> Bool? {
    var response: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      response += buffer[..<count]
      guard let head = headEnd(response) else { continue }
      let lines = String(decoding: response[..<head], as: UTF8.self).split(separator: "\r\n")
      let length = lines.first { $0.hasPrefix("Content-Length: ") }.flatMap { Int($0.dropFirst(16)) } ?? 0
      if response.count >= head + length { return !lines.contains("Connection: close") }
    }
  }

  private func headEnd(_ bytes: [UInt8]) -> Int? {
    let end = Array("\r\n\r\n".utf8)
    return bytes.indices.dropLast(3).first { bytes[$0] == end[0] && bytes[$0..<($0 + 4)].elementsEqual(end) }.map {
      $0 + 4
    }
  }
}
