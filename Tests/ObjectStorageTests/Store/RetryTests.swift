import HTTPMessages
import Platform
import TestSupport
import Testing

@testable import ObjectStorage

@Suite(.timeLimit(.minutes(5))) struct `A request that fails` {
  private let time = SleepingClock()

  private func put(_ server: RawServer, base: Int64 = 60_000) async throws {
    let store = try ObjectStore.forTests(server, base: base, clock: time.clock)
    try await store.put([1, 2, 3], as: "key")
  }

  @Test(arguments: [
    RawServer.Reply.error(500, "InternalError"), .error(502, "x"), .error(503, "SlowDown"), .error(504, "x"),
    .error(429, "TooManyRequests"), .error(408, "x"), .error(400, "RequestTimeout"), .error(409, "OperationAborted"),
    .init("", ending: .close), .init("", ending: .reset), .init("HTTP/1.1 200 OK\r\nContent-", ending: .close),
  ])
  func `is sent again after a pause`(failure: RawServer.Reply) async throws {
    let server = try RawServer([failure, failure, .stored])
    try await put(server)
    #expect(server.requests.map(\.body) == [[1, 2, 3], [1, 2, 3], [1, 2, 3]])
    #expect(time.pauses == [50, 100])
  }

  @Test func `is known to have been sent twice, also where libcurl has done that`() async throws {
    let server = try RawServer([
      .stored, .init("", ending: .close), .stored, .error(503, "SlowDown"), .stored,
    ])
    let store = try ObjectStore.forTests(server, threads: 1, clock: time.clock)
    var wereRetried: [Bool] = []
    for _ in 0..<3 {
      wereRetried.append(try await store.put([1, 2, 3], as: "key"))
    }
    #expect(wereRetried == [false, true, true])
    #expect(server.requests.count == 5 && time.pauses == [50])
  }

  @Test func `is sent again if no response comes`() async throws {
    let server = try RawServer([.init("", ending: .stall), .stored])
    try await put(server, base: 100)
    #expect(server.requests.count == 2 && time.pauses == [50])
  }

  @Test func `is given up after four attempts`() async throws {
    let server = try RawServer(Array(repeating: .error(503, "SlowDown"), count: 5))
    await #expect(
      throws: ObjectStoreError.unavailable(reason: "it responded 503 SlowDown", retryAfterSeconds: nil)
    ) { try await put(server) }
    #expect(server.requests.count == 4 && time.pauses == [50, 100, 200])
  }

  @Test func `is given up where nobody listens`() async throws {
    let nobody = try RawClient()
    let port = try nobody.bindToFreePort()
    let settings = try ObjectStoreSettings(
      endpoint: "http://127.0.0.1:\(port)", bucket: "selfies", region: "x", accessKeyID: "id", secretAccessKey: "x")
    let store = ObjectStore(settings, timeouts: ClientTimeouts(), threads: 1, clock: time.clock)
    let error = await #expect(throws: ObjectStoreError.self) { try await store.delete("key") }
    guard case .unavailable = error else { throw try #require(error) }
    #expect(time.pauses.count == 3)
  }

  @Test(arguments: [
    (301, "PermanentRedirect"), (307, "TemporaryRedirect"), (400, "InvalidArgument"), (403, "AccessDenied"),
    (403, "SignatureDoesNotMatch"), (404, "NoSuchBucket"),
    (404, "NoSuchKey"), (411, "MissingContentLength"), (501, "NotImplemented"),
    (507, "InsufficientStorage"),
  ])
  func `is not sent again if the store refuses it`(status: Int, code: String) async throws {
    let server = try RawServer([.error(status, code, ["Location: http://127.0.0.1:1/"]), .stored])
    await #expect(throws: ObjectStoreError.refused(status: status, code: code)) { try await put(server) }
    #expect(server.requests.count == 1 && time.pauses == [])
  }

  @Test(arguments: [(507, nil as String?), (403, "QuotaExceeded"), (400, "EntityTooLarge"), (403, "AccessDenied")])
  func `may fail because the store is full`(status: Int, code: String?) {
    #expect(ObjectStoreError.refused(status: status, code: code).isFull == (code != "AccessDenied"))
  }

  @Test func `is sent again when the store has asked for it`() async throws {
    let date = HTTPDate(unixSeconds: SettableClock.start / 1000 + 5)
    let server = try RawServer([
      .error(503, "SlowDown", ["Retry-After: 2"]), .error(503, "SlowDown", ["Retry-After: \(date)"]), .stored,
    ])
    try await put(server)
    // Two of the five seconds have passed already.
    #expect(time.pauses == [2_000, 3_000])
  }

  /// Twenty seconds after the first attempt, no other one begins.
  @Test(arguments: [([20], []), ([.max], []), ([15, 15], [15_000])] as [([Int64], [Int64])])
  func `is given up where the store asks for too long a pause`(seconds: [Int64], pauses: [Int64]) async throws {
    let server = try RawServer(seconds.map { .error(503, "SlowDown", ["Retry-After: \($0)"]) } + [.stored])
    await #expect(throws: ObjectStoreError.self) { try await put(server) }
    #expect(server.requests.count == seconds.count && time.pauses == pauses)
  }

  @Test(arguments: ["", "-1", "1.5", "soon", "99999999999999999999", "Sun, 06 Nov 1994 08:49:37 GMT"])
  func `is sent again soon if the store's Retry-After makes no sense or has passed`(value: String) async throws {
    let server = try RawServer([.error(503, "SlowDown", ["Retry-After: \(value)"]), .stored])
    try await put(server)
    #expect(time.pauses == [50])
  }

  @Test func `is not sent again once its task is cancelled`() async throws {
    let server = try RawServer([.error(503, "SlowDown"), .response(204)])
    let cancelling = RetryClock(
      now: { SettableClock.start }, uptime: { 0 }, sleep: { _ in Self.cancelThisTask() })
    let store = try ObjectStore.forTests(server, clock: cancelling)
    let result = await Task { try await store.delete("key") }.result
    #expect(throws: ObjectStoreError.cancelled) { try result.get() }
    #expect(server.requests.count == 1)
  }

  private static func cancelThisTask() {
    withUnsafeCurrentTask { task in task?.cancel() }
  }

  @Test func `has a huge description, of which only the beginning is read`() async throws {
    let body = Array("<Error><Code>AccessDenied</Code>".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    let server = try RawServer([.response(403, body: body)])
    await #expect(throws: ObjectStoreError.refused(status: 403, code: "AccessDenied")) { try await put(server) }
  }
}
