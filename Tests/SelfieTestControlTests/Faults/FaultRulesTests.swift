import HTTPMessages
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

  @Test func `a rule applies to its method and path only`() async throws {
    let id = try rules.add(.status(503).on("POST", "/api/signin"))
    #expect(await statuses(1, "POST", "/api/signin.json") == [503])
    #expect(await statuses(1, "GET", "/api/signin") == [200])
    #expect(await statuses(1, "POST", "/api/signup") == [200])
    #expect(effects == 2)
    #expect(rules[id]?.matched == 1 && rules[id]?.fired == 1)
  }

  @Test func `a rule fires at most as often as its count`() async throws {
    let id = try rules.add(.status(503).times(2))
    #expect(await statuses(4) == [503, 503, 200, 200])
    #expect(rules[id]?.matched == 4 && rules[id]?.fired == 2 && rules[id]?.remaining == 0)
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
    try rules.add(.status(422, json: "[1]").times(1))
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

  @Test(
    arguments: [
      (FaultRule.drop(), 0, TransportFault.dropped), (.drop(.beforeAnswer), 1, .dropped),
      (.drop(.inBody), 1, .truncated(after: 3)),
      (.truncate(after: 2), 1, .truncated(after: 2)), (.truncate(share: 0.3), 1, .truncated(after: 2)),
      (.drip(bytes: 3, every: .milliseconds(20)), 1, .throttled(piece: 3, pause: 20)), (.malform(.body), 1, nil),
    ] as [(FaultRule, Int, TransportFault?)])
  func `a rule changes the response, and lets the request have its effect or not`(
    rule: FaultRule, effects: Int, fault: TransportFault?
  ) async throws {
    try rules.add(rule)
    #expect(await send("POST", "/api/signup").transportFault == fault)
    #expect(self.effects == effects)
    // A body that is fetched while it is sent is cut like any other.
    let stream = BodyStream(fetch: { _, _ in throw CancellationError() })
    let response = await rules.respond(to: Request("GET", "/photos/a")) { _ in
      Response(status: .ok, body: .stream(stream, offset: 1, length: 7))
    }.response
    #expect(response.transportFault == fault)
    #expect(effects == 0 || response.body.length == (rule.malform == nil ? 7 : 6))
  }

  @Test func `a response that a rule cannot break off in its body is dropped, and one that it does not cut is whole`()
    async throws
  {
    try rules.add(.drop(.inBody).times(1))
    #expect(await send("GET", "/photos/a", body: "").transportFault == .dropped)
    for rule in [FaultRule.truncate(after: 7), .truncate(after: 8), .truncate(share: 1)] {
      try rules.add(rule.times(1))
      #expect(await send("GET", "/photos/a").transportFault == nil)
    }
  }

  @Test func `a body of unknown length is fetched before it is cut`() async throws {
    try rules.add(.truncate(after: 2))
    let stream = BodyStream(fetch: { offset, _ in Array("abcd".utf8.dropFirst(Int(offset)).prefix(2)) })
    let response = await rules.respond(to: Request("GET", "/a")) { _ in Response(status: .ok, body: .pages(stream)) }
      .response
    #expect(response.transportFault == .truncated(after: 2))
    #expect(response.body.content == Array("abcd".utf8))
  }

  // MARK: - Rules that cannot be

  @Test(arguments: [
    (FaultRule.status(99), "status"), (.status(600), "status"), (.status(200, json: "{"), "JSON"),
    (.status(200, fields: ["Content-Length": "5"]), "Content-Length"), (.status(200, fields: ["A B": ""]), "name"),
    (.status(200, fields: ["A": "\r\nB: c"]), "control"), (.status(200, fields: ["": "x"]), "name"),
    (.status(200, text: String(repeating: "x", count: 1 << 20 + 1)), "body"),
    (.status(200, fields: ["A": String(repeating: "x", count: 8192)]), "fields"),
    (.status(500).on("POTS", "/"), "method"), (.status(500).on("post", "/"), "method"),
    (.status(500).on("api/signin"), "path"), (.status(500).on("/a?b=c"), "query"),
    (.status(500).on("/" + String(repeating: "x", count: 1024)), "path"),
    (.status(500).share(1.5), "share"), (.status(500).share(-0.1), "share"), (.status(500).share(.nan), "share"),
    (.status(500).times(0), "count"), (.delay(.seconds(61)), "delay"), (.delay(.seconds(-1)), "delay"),
    (.drip(bytes: 0, every: .zero), "drip.bytes"), (.drip(bytes: 1, every: .seconds(61)), "drip.every"),
    (.truncate(after: -1), "truncate.bytes"), (.truncate(share: 2), "truncate.share"), (FaultRule(), "goes wrong"),
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
