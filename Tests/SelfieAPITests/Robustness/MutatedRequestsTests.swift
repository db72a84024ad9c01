import Glibc
import HTTPServer
import SelfieAPI
import Testing
import Platform

/// Thousands of recorded requests, each damaged at random, against the whole server: it never fails, and serves on.
@Suite struct MutatedRequestsTests {
  /// So many with each seed. A failure names the seed and the number of the request.
  private static let requestsPerSeed = 1_500

  @Test(arguments: [1, 2] as [UInt64])
  func `no damaged request makes the server fail`(seed: UInt64) async throws {
    let storage = try ReplayStorage()
    defer { storage.close() }
    let application = try storage.application(clock: ReplayClock())
    let listener = try Listener(host: "127.0.0.1", port: 0)
    let server = try Server(
      listener: listener, loopCount: 2,
      service: Service(respond: application.respond, refuse: application.refuse, turn: application.turn))
    try server.start()
    let thread = WorkerPool(name: "client", threads: 1, waiting: 1)
    defer { thread.shutDown() }
    let requests = try RecordedRequests.all().map(\.bytes).filter { $0.count < 20_000 }
    let failures = try await thread.run {
      defer { server.stop() }
      return Self.failures(of: requests, seed: seed, port: listener.port)
    }
    #expect(failures.isEmpty, "\(failures)")
  }

  private static func failures(of requests: [[UInt8]], seed: UInt64, port: Int) -> [String] {
    var generator = SeededGenerator(seed: seed)
    var failures: [String] = []
    for number in 0..<requestsPerSeed {
      let bytes = Mutation.damaged(requests, using: &generator)
      guard let answer = OneShot.answer(to: bytes, port: port) else {
        failures.append("seed \(seed), request \(number): the server does not take connections or never ends one")
        break
      }
      // The server closes without a word on what is no request; what it says is never that it failed.
      let statusLine = String(decoding: answer.prefix { $0 != 0x0d }, as: UTF8.self)
      let isSound = answer.isEmpty || statusLine.wholeMatch(of: /HTTP\/1\.1 ([1234][0-9]{2}|501|503|505|507) .+/) != nil
      if !isSound { failures.append("seed \(seed), request \(number): \(statusLine)") }
    }
    let health = Array("GET /up HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".utf8)
    let answer = OneShot.answer(to: health, port: port) ?? []
    if !answer.starts(with: "HTTP/1.1 200 OK".utf8) {
      failures.append("seed \(seed): the server is not well afterwards")
    }
    return failures
  }
}

/// Ways to damage a request.
enum Mutation {
  static func damaged(_ requests: [[UInt8]], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = requests.randomElement(using: &generator) ?? []
    for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &generator)
      let end = min(bytes.count, position + Int.random(in: 1...40, using: &generator))
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes[position] = UInt8.random(in: .min ... .max, using: &generator)
      case 2: bytes.removeSubrange(position..<end)
      case 3: bytes.insert(contentsOf: bytes[position..<end], at: position)
      case 4: bytes.insert(contentsOf: special.randomElement(using: &generator) ?? [], at: position)
      case 5: bytes.removeSubrange(position...)
      case 6:
        let other = requests.randomElement(using: &generator) ?? []
        bytes.replaceSubrange(position..., with: other.dropFirst(min(position, other.count)))
      default: bytes += requests.randomElement(using: &generator) ?? []
      }
    }
    return bytes
  }

  private static let special: [[UInt8]] = [
    "\r\n", "\n", "\r", "\0", ":", " ", "\t", "%", "%00", "%ff", "[", "]", "[]", "\"", "\\", "{", "=", "&", "--",
    "-1", "99999999999999999999", "0x10", "Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n",
    "Expect: 100-continue\r\n", "HTTP/1.0", "\u{fffd}", "\\ud800",
  ].map { Array($0.utf8) }
}

/// A connection for one request: sends, ends its side, reads to the end.
enum OneShot {
  /// Nil when the server cannot be reached, or has not ended the connection after some seconds.
  static func answer(to bytes: [UInt8], port: Int) -> [UInt8]? {
    let descriptor = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var patience = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else { return nil }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      // The server may have answered and gone.
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
    shutdown(descriptor, Int32(SHUT_WR))
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count > 0 {
        answer += buffer[..<count]
      } else {
        return count == 0 || errno == ECONNRESET ? answer : nil
      }
    }
  }
}
