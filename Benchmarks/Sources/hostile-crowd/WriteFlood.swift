import Glibc
import LoadTesting
import Measuring
import Platform
import Synchronization

/// Measures how long another user's uploads take while 500 connections of one address change a note of an account with
/// 9,990 notes, as fast as they are answered.
///
/// By hand: `hostile-crowd writes PORT TOKEN BASIC [--quick]`, where TOKEN is that of the other user, and BASIC the base64
/// of the email address and password of a user with a note. Writes thousands of notes first.
struct WriteFlood {
  private static let connections = 500
  private static let notes = 9_990
  /// Requests that are sent ahead.
  private static let batch = 90
  /// What half of the uploads may take, in seconds.
  private static let maxMedian = 0.05

  private let port: UInt16
  private let token: String
  private let basic: String
  private let duration: Double

  init?(_ arguments: [String]) {
    let rest = arguments.filter { $0 != "--quick" }
    guard rest.count == 3, let port = UInt16(rest[0]) else { return nil }
    self.port = port
    (token, basic) = (rest[1], rest[2])
    duration = arguments.contains("--quick") ? 3 : 10
  }

  /// Prints the findings. Returns whether the goal is met.
  func run() throws -> Bool {
    writeNotes()
    let isOver = Flag()
    let answers = Atomic<Int>(0)
    // The attackers' own work must not slow the other client down.
    let thread = try Thread(named: "flood", niceness: 10) {
      flood(until: isOver) { answers.add(1, ordering: .relaxed) }
    }
    pause(0.5)
    let latencies = uploads()
    isOver.raise()
    thread.join()
    let median = latencies.quantile(0.5)
    let isMet = latencies.failures == 0 && median < Self.maxMedian
    print(
      "- [\(isMet ? "x" : " ")] While \(Self.connections) connections change notes of an account with \(Self.notes) "
        + "(\(answers.load(ordering: .relaxed)) changes), all \(latencies.count) uploads of another user succeed, half of them "
        + "within \(decimals(median * 1000, 1)) ms, less than \(Int(Self.maxMedian * 1000)) ms "
        + "(p99 \(decimals(latencies.quantile(0.99) * 1000, 1)) ms)")
    return isMet
  }

  private func request(_ method: String, _ path: String) -> [UInt8] {
    let body = #"{"token":"token","note":{"title":"a"}}"#
    return Array(
      """
      \(method) \(path) HTTP/1.1\r
      Host: localhost\r
      Authorization: Basic \(basic)\r
      Content-Type: application/json\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """.utf8)
  }

  private func writeNotes() {
    guard let descriptor = Loopback.open(port: port, source: 0x7f00_0002) else { fail("no connection") }
    defer { close(descriptor) }
    let requests = Array(repeatElement(request("POST", "/notes.json"), count: Self.batch).joined())
    for _ in 0..<Self.notes / Self.batch {
      guard Exchange.send(requests, to: descriptor) else { fail("the notes cannot be written") }
      var answered = 0
      while answered < Self.batch {
        let count = Self.answers(on: descriptor, wait: true)
        guard count > 0 else { fail("the notes are not written") }
        answered += count
      }
    }
  }

  /// How many responses have come, by the beginnings of their status lines.
  private static func answers(on descriptor: Int32, wait: Bool) -> Int {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, wait ? 0 : Int32(MSG_DONTWAIT))
    guard count > 0 else { return 0 }
    let line = Array("HTTP/1.1 2".utf8)
    return buffer[..<count].indices.count { buffer[$0] == line[0] && buffer[$0..<count].starts(with: line) }
  }

  private func flood(until isOver: Flag, onAnswer: () -> Void) {
    let change = request("PUT", "/notes/1.json")
    let descriptors = (0..<Self.connections).compactMap { _ in Loopback.open(port: port, source: 0x7f00_0002) }
    for descriptor in descriptors { _ = Exchange.send(change, to: descriptor) }
    while !isOver.isRaised {
      for descriptor in descriptors where Self.answers(on: descriptor, wait: false) > 0 {
        onAnswer()
        _ = Exchange.send(change, to: descriptor)
      }
      pause(0.001)
    }
    for descriptor in descriptors { close(descriptor) }
  }

  private func uploads() -> Latencies {
    let body =
      "--B\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\nabc\r\n"
      + "--B\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nt\r\n--B--\r\n"
    let upload = Exchange.upload(body, token: token)
    var latencies = Latencies()
    var connection: BlockingConnection?
    let end = monotonicSeconds() + duration
    while monotonicSeconds() < end {
      if connection == nil { connection = BlockingConnection(port: port) }
      let start = monotonicSeconds()
      let isAnswered = connection?.isAnswered(upload) ?? false
      latencies.add(monotonicSeconds() - start, isAnswered: isAnswered)
      if !isAnswered { connection = nil }
      pause(0.01)
    }
    return latencies
  }
}
