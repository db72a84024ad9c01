import APITestSupport
import Foundation
import HTTPMessages
import Platform
import SelfieTestDocuments
import Synchronization
import TestSupport
import Testing

@testable import SelfieTestControl

/// Rules without a server: what they make of the responses to requests.
@Suite(.timeLimit(.minutes(10))) final class FaultRulesTests: Sendable {
  let rules = FaultRules()
  private let handled = Atomic<Int>(0)

  private func send(_ method: String, _ path: String, body: String = "{\"a\":1}") async -> Response {
    await rules.respond(to: Request(method, path)) { _ in
      handled.add(1, ordering: .relaxed)
      return Response(status: .ok, body: .bytes(Array(body.utf8)))
    }.response
  }

  /// How many requests had their effect.
  private var effects: Int { handled.load(ordering: .relaxed) }

  private func statuses(_ count: Int, _ method: String = "GET", _ path: String = "/api/get_photos") async -> [Int] {
    var statuses: [Int] = []
    for _ in 0..<count { statuses.append(await send(method, path).status.code) }
    return statuses
  }

  // MARK: - Which requests

  @Test func `a rule fires for its method and path, and as often as its count`() async throws {
    let id = try rules.add(.status(503).on("POST", "/api/signin").skip(2).times(2))
    #expect(await statuses(1, "GET", "/api/signin") + statuses(1, "POST", "/api/signup") == [200, 200])
    #expect(await statuses(6, "POST", "/api/signin.json") == [200, 200, 503, 503, 200, 200])
    #expect(effects == 6)
    #expect(rules[id]?.matched == 6 && rules[id]?.fired == 2 && rules[id]?.remaining == 0)
  }

  @Test func `a body is read in pieces with pauses, and is whole`() async throws {
    try rules.add(.read(bytes: 3, every: .milliseconds(20)))
    let request = Request("POST", "/api/upload_photo", body: Array("01234567".utf8))
    let start = ContinuousClock.now
    let pieces = Mutex<[String]>([])
    _ = await rules.respond(to: request) { request in
      while let piece = try? await request.body.next() {
        pieces.withLock { $0.append(String(decoding: piece, as: UTF8.self)) }
      }
      return Response(status: .ok)
    }
    #expect(pieces.withLock(\.self) == ["012", "345", "67"])
    #expect(ContinuousClock.now - start >= .milliseconds(40))
  }

  @Test func `a share picks the same requests in each run, and about as many as it says`() async throws {
    let never = try rules.add(.status(501).share(0))
    #expect(await statuses(50) == Array(repeating: 200, count: 50))
    #expect(rules[never]?.matched == 50 && rules[never]?.fired == 0)
    func run(seed: UInt64) async throws -> [Int] {
      rules.removeAll()
      try rules.add(.status(500).share(0.3, seed: seed))
      return await statuses(1_000)
    }
    let first = try await run(seed: 1)
    #expect((250...350).contains(first.count { $0 == 500 }))
    #expect(try await run(seed: 1) == first)
    #expect(try await run(seed: 2) != first)
  }

  /// The first numbers of SplitMix64 for the seed 1234567, as its authors' reference implementation gives them.
  @Test func `shares are drawn with the numbers of the reference implementation`() {
    var generator = SeededGenerator(seed: 1_234_567)
    for number in [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423] as [UInt64] {
      #expect(generator.next() == Double(number >> 11) * 0x1p-53)
    }
  }

  // MARK: - Several rules

  @Test func `the first rule that fires ends the search`() async throws {
    try rules.add(.status(501).times(1))
    let second = try rules.add(.status(502).on("/api/*"))
    #expect(await statuses(2) == [501, 502])
    #expect(rules[second]?.matched == 1)
  }

  @Test func `delays are added to the effects of later rules`() async throws {
    try rules.add([.delay(.milliseconds(30)), .delay(.milliseconds(30)), .status(503).delayed(by: .milliseconds(30))])
    let start = ContinuousClock.now
    #expect(await statuses(1) == [503])
    #expect(ContinuousClock.now - start >= .milliseconds(90))
  }

  @Test func `the number of rules is limited, and rules that cannot fire any more make room`() async throws {
    try rules.add(.status(503).times(1))
    try rules.add(Array(repeating: .status(500).share(0), count: FaultRules.maxCount - 1))
    #expect(throws: ControlError.self) { try rules.add(.status(501)) }
    #expect(await statuses(1) == [503])
    let id = try rules.add(.status(501))
    #expect(await statuses(1) == [501])
    #expect(rules.all.count == FaultRules.maxCount && rules.all.last?.id == id)
  }

  // MARK: - Delays

  @Test(arguments: [true, false])
  func `a delayed request has its effect at once, and ends when its client or the rules leave`(
    isClient: Bool
  ) async throws {
    try rules.add(.delay(.seconds(60)))
    let statuses = Task { await self.statuses(1) }
    try await waitUntil { effects > 0 }
    if isClient { statuses.cancel() } else { rules.removeAll() }
    #expect(await statuses.value == [200])
  }

  // MARK: - Effects

  @Test func `a rule can send a response of its own`() async throws {
    try rules.add(.status(503, message: "a \"break\"", fields: ["Retry-After": "5"]).times(1))
    try rules.add(.status(422, body: .array([.number("1")])).times(1))
    try rules.add(.status(502, text: "<h1>", fields: ["content-type": "text/html"]))
    let first = await send("GET", "/photos/a")
    #expect(first.text == #"{"status":503,"message":"a \"break\""}"#)
    #expect(first.fields["Retry-After"] == "5" && first.fields["Content-Type"] == "application/json; charset=utf-8")
    #expect(await send("GET", "/photos/a").text == "[1]")
    let third = await send("GET", "/photos/a")
    #expect(third.text == "<h1>" && third.fields["Content-Type"] == "text/html")
    #expect(third.status.code == 502)
    #expect(effects == 0)
  }

  /// All that the client receives of a response with this body, with the head if the rule writes that; nil if nothing.
  private func received(
    _ body: Response.Body, _ method: String = "GET", _ path: String = "/photos/a"
  ) async throws -> String? {
    let response = await rules.respond(to: Request(method, path)) { _ in
      handled.add(1, ordering: .relaxed)
      return Response(status: .ok, body: body)
    }.response
    if case .raw(let source) = response.body { return try? String(decoding: await source.collect(), as: UTF8.self) }
    return String(decoding: try await response.fetchedContent(), as: UTF8.self)
  }

  private static let head = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n"

  @Test(
    arguments: [
      (FaultRule.drop(), 0, nil), (.drop(.beforeAnswer), 1, nil), (.drop(.inBody), 1, "\(head)\r\n{\"a"),
      (.drop(.resetInBody), 1, nil), (.drop(.empty), 1, ""),
      (.truncate(after: 0), 1, "\(head)\r\n"), (.truncate(after: 2), 1, "\(head)\r\n{\""),
      (.truncate(share: 0.3), 1, "\(head)\r\n{\""), (.truncate(after: 7), 1, #"{"a":1}"#),
      (.truncate(after: 8), 1, #"{"a":1}"#), (.truncate(share: 1), 1, #"{"a":1}"#),
      (.drip(bytes: 3, every: .milliseconds(20)), 1, #"{"a":1}"#), (.malform(.body), 1, #"{"a":1"#),
      (.malform(.statusLine), 1, "HTTP/x.y banana\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{\"a\":1}"),
      (.malform(.fieldLine), 1, "\(head)X-Broken\u{0}: \r\nno field\r\nConnection: close\r\n\r\n{\"a\":1}"),
      (
        .malform(.contentLength), 1,
        "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n{\"a\":1}"
      ),
      (
        .malform(.lengthText), 1,
        "HTTP/1.1 200 OK\r\nContent-Length: banana\r\nConnection: close\r\n\r\n{\"a\":1}"
      ),
      (
        .malform(.chunk), 1,
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n7\r\n{\"a\":1}\r\nno size\r\n"
      ),
    ] as [(FaultRule, Int, String?)])
  func `a rule changes the response, whatever its body is, and lets the request have its effect or not`(
    rule: FaultRule, effects: Int, expected: String?
  ) async throws {
    let bytes = Array("[{\"a\":1}]".utf8)
    let folder = try TemporaryFolder()
    try Data(bytes).write(to: URL(filePath: "\(folder.path)/photo"))
    let stream = BodyStream { offset, count in Array(bytes.dropFirst(Int(offset)).prefix(min(count, 4))) }
    let pages = BodyStream { offset, _ in Array(bytes.dropFirst().dropLast().dropFirst(Int(offset)).prefix(4)) }
    let bodies: [Response.Body] = [
      .bytes(Array(bytes[1...7])), .file(try OpenFile("\(folder.path)/photo", O_RDONLY), offset: 1, length: 7),
      .stream(stream, offset: 1, length: 7), .pages(pages),
    ]
    try rules.add(rule)
    for body in bodies { #expect(try await received(body) == expected) }
    #expect(self.effects == bodies.count * effects)
  }

  @Test func `of a response without a body, nothing can be cut off`() async throws {
    for (method, body) in [("GET", ""), ("HEAD", #"{"a":1}"#)] {
      let body = Response.Body.bytes(Array(body.utf8))
      try rules.add(.drop(.inBody).times(1))
      #expect(try await received(body, method) == nil)
      for rule in [FaultRule.truncate(after: 0), .truncate(share: 0.5), .drip(bytes: 1, every: .seconds(60))] {
        try rules.add(rule.times(1))
        #expect(try await received(body, method) == String(decoding: body.content ?? [], as: UTF8.self))
      }
      try rules.add(.malform(.chunk).times(1))
      #expect(try await received(body, method)?.hasSuffix("\r\n\r\nno size\r\n") == true)
    }
  }

  @Test func `a body comes in pieces with pauses, which end with the rules`() async throws {
    try rules.add(.drip(bytes: 3, every: .milliseconds(20)))
    let start = ContinuousClock.now
    guard case .stream(let stream, 0, 7) = await send("GET", "/photos/a").body else { throw NotPossible("no stream") }
    for (offset, count) in [(0, 3), (3, 3), (6, 1)] {
      #expect(try await stream.piece(at: Int64(offset), count: 7 - offset).count == count)
    }
    #expect(ContinuousClock.now - start >= .milliseconds(40))

    rules.removeAll()
    try rules.add(.drip(bytes: 1, every: .seconds(60)))
    guard case .stream(let slow, _, _) = await send("GET", "/photos/a").body else { throw NotPossible("no stream") }
    async let second = slow.piece(at: 1, count: 6)
    rules.removeAll()
    #expect(try await second == Array("\"".utf8))
    #expect(try await slow.piece(at: 2, count: 5) == Array("a".utf8))
  }

  // MARK: - Rules that cannot be

  @Test(arguments: [
    (FaultRule.status(99), "status"), (.status(600), "status"),
    (.status(200, fields: ["Content-Length": "5"]), "Content-Length"), (.status(200, fields: ["A B": ""]), "name"),
    (.status(200, fields: ["A": "\r\nB: c"]), "control"), (.status(200, fields: ["": "x"]), "name"),
    (.status(200, text: String(repeating: "x", count: 1 << 20 + 1)), "body"),
    (.status(200, fields: ["A": String(repeating: "x", count: 8192)]), "fields"),
    (.status(500).on("POTS", "/"), "method"), (.status(500).on("post", "/"), "method"),
    (.status(500).on("/a?b=c"), "query"),
    (.status(500).on("/" + String(repeating: "x", count: 1024)), "path"),
    (.status(500).share(1.5), "share"), (.status(500).share(-0.1), "share"), (.status(500).share(.nan), "share"),
    (.status(500).times(0), "count"), (.delay(.seconds(61)), "delay"), (.delay(.seconds(-1)), "delay"),
    (.drip(bytes: 1, every: .seconds(61)), "drip.every"), (.truncate(after: -1), "truncate.bytes"),
    (.truncate(share: 2), "truncate.share"),
  ])
  func `invalid rules are refused`(rule: FaultRule, word: String) throws {
    let error = try #require(throws: ControlError.self) { try rules.add([.status(500), rule]) }
    #expect(error.description.contains(word), "\(error)")
    #expect(rules.all.isEmpty)
  }
}

extension Response {
  fileprivate var text: String {
    guard case .bytes(let bytes) = body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }
}
