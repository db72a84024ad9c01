import APITestSupport
import Glibc
import Platform
import SelfieAPI
import TestSupport
import Testing

/// Thousands of recorded requests, each damaged at random, against the whole server: it never fails, and serves on.
@Suite struct MutatedRequestsTests {
  /// So many with each seed. A failure names the seed and the number of the request.
  private static let requestsPerSeed = 1_500

  @Test(arguments: [1, 2] as [UInt64])
  func `no damaged request makes the server fail`(seed: UInt64) async throws {
    let requests = try RecordedRequests.all().filter { $0.count < 20_000 }
    try await APIFixture().serve { port in
      let failures = await Self.failures(of: requests, seed: seed, port: port)
      #expect(failures.isEmpty, "\(failures)")
    }
  }

  private static func failures(of requests: [[UInt8]], seed: UInt64, port: Int) async -> [String] {
    let soundLine = /HTTP\/1\.1 ([1234][0-9]{2}|501|503|505|507) .+/
    var generator = SplitMix64(seed: seed)
    var failures: [String] = []
    for number in 0..<requestsPerSeed {
      let bytes = Mutation.damaged(requests, using: &generator)
      guard let answer = try? await answer(to: bytes, port: port) else {
        failures.append("seed \(seed), request \(number): the server does not take connections or never ends one")
        break
      }
      // The server closes without a response on what is no request; what it says is never that it failed.
      let statusLine = String(decoding: answer.prefix { $0 != 0x0d }, as: UTF8.self)
      let isSound = answer.isEmpty || statusLine.wholeMatch(of: soundLine) != nil
      if !isSound { failures.append("seed \(seed), request \(number): \(statusLine)") }
    }
    let health = Array("GET /up HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n".utf8)
    let answer = (try? await answer(to: health, port: port)) ?? []
    if !answer.starts(with: "HTTP/1.1 200 OK".utf8) {
      failures.append("seed \(seed): the server is not well afterwards")
    }
    return failures
  }

  /// What comes in response to bytes on a connection of their own, after which the client ends its side.
  private static func answer(to bytes: [UInt8], port: Int) async throws -> [UInt8] {
    try await Blocking.run {
      let client = try RawClient()
      try client.connect(to: port)
      // The server may have answered and gone.
      try? client.send(bytes)
      client.endSending()
      do {
        return try client.rest()
      } catch RawClient.Failure.system(call: "recv", number: ECONNRESET) {
        return client.takeReceived()
      }
    }
  }
}

/// Ways to damage a request.
enum Mutation {
  static func damaged(_ requests: [[UInt8]], using generator: inout SplitMix64) -> [UInt8] {
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
