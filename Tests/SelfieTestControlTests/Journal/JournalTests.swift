import APITestSupport
import HTTPMessages
import SelfieTestDocuments
import TestSupport
import Testing

@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct JournalTests {
  let journal = Journal()

  @Test func `it keeps the newest`() {
    for number in 1...(Journal.maxExchanges + 5) { journal.add(.sample("GET", "/\(number)")) }
    #expect(journal.count() == Journal.maxExchanges)
    #expect(journal.exchange(5) == nil)
    #expect(journal.exchange(6)?.path == "/6")
    #expect(journal.exchanges().map(\.id) == Array(6...Int64(Journal.maxExchanges + 5)))
    let mismatch = #expect(throws: ExchangeMismatch.self) { try journal.verify(.get("/1"), 1...1) }
    #expect(mismatch?.message.hasSuffix("The 5 oldest are no longer kept.") == true)
  }

  @Test func `a large exchange counts as many small ones`() {
    let text = SelfieTestDocuments.JSONValue.string(String(repeating: "x", count: BodyRecorder.maxBytes))
    for _ in 0..<Journal.maxExchanges { journal.add(.sample(parameters: ["title": text])) }
    #expect((100...256).contains(journal.count()), "\(journal.count())")
    for _ in 0..<Journal.maxExchanges { journal.add(.sample()) }
    #expect(journal.count() == Journal.maxExchanges)
  }

  @Test func `the newest exchange is kept, however large it is`() {
    let text = SelfieTestDocuments.JSONValue.string(String(repeating: "x", count: Journal.maxWeight))
    journal.add(.sample(), .sample(parameters: ["title": text]))
    #expect(journal.exchanges().map(\.id) == [2])
    journal.add(.sample())
    #expect(journal.exchanges().map(\.id) == [3])
  }

  @Test func `ids go on when it is cleared`() {
    journal.add(.sample(), .sample())
    #expect(journal.clear() == 2)
    #expect(journal.count() == 0)
    #expect(journal.exchanges() == [])
    journal.add(.sample())
    #expect(journal.exchanges(matching: .any.since(2)).map(\.id) == [3])
  }

  @Test(arguments: [
    (2...2, true), (1...1, false), (3...3, false), (2...Int.max, true), (3...Int.max, false), (Int.min...2, true),
    (Int.min...1, false), (0...0, false),
  ])
  func `it checks how many there are`(counts: ClosedRange<Int>, isRight: Bool) {
    journal.add(.sample("GET", "/a"), .sample("GET", "/b"), .sample("GET", "/a"))
    #expect((try? journal.verify(.get("/a"), counts)) == (isRight ? 2 : nil))
  }

  @Test func `the error lists the nearest exchanges, nearest first`() throws {
    journal.add(
      .sample("GET", "/api/get_photos"), .sample("POST", "/api/signin", 401, message: "Wrong Password"),
      .sample("POST", "/api/signup", 400, message: "email - is invalid,"),
      .sample("GET", "/api/signup", 404, detail: "no GET /api/signup; there is POST /api/signup"))
    let error = try #require(throws: ExchangeMismatch.self) {
      try journal.verify(.post("/api/signup", status: 200).with(parameter: "email", "a@b.cd"), 1...Int.max)
    }
    #expect(error.matched == 0)
    #expect(
      "\(error)" == """
        Expected at least 1 POST /api/signup with status 200 and email "a@b.cd", but there was none.
        The nearest are:
          #3 POST /api/signup -> 400 "email - is invalid,": the status is 400, email is missing
          #2 POST /api/signin -> 401 "Wrong Password": the path is /api/signin, the status is 401, email is missing
          #4 GET /api/signup -> 404: the method is GET, the status is 404, email is missing
              no GET /api/signup; there is POST /api/signup
          #1 GET /api/get_photos -> 200: the method is GET, the path is /api/get_photos, email is missing
        """)
  }

  @Test func `the error lists matching exchanges if there are too many`() throws {
    journal.add(.sample("POST", "/api/signup"), .sample("POST", "/api/signup", 400), .sample("GET", "/up"))
    let error = try #require(throws: ExchangeMismatch.self) {
      try journal.verify(.post("/api/signup"), 1...1)
    }
    #expect(error.message == "Expected exactly 1 POST /api/signup, but there were 2.")
    #expect(error.near.map(\.id) == [1, 2])
    #expect(error.near.map(\.differences) == [[], []])
    let none = try #require(throws: ExchangeMismatch.self) { try journal.verify(.get("/up"), 0...0) }
    #expect("\(none)" == "Expected no GET /up, but there was 1.\nThey are:\n  #3 GET /up -> 200")
    let many = try #require(throws: ExchangeMismatch.self) { try journal.verify(.any, 5...5) }
    #expect(many.message == "Expected exactly 5 requests, but there were 3.")
  }

  @Test func `a body of any size leaves little behind`() async throws {
    let bytes = [UInt8](repeating: 0x41, count: 32 * 1024 * 1024)
    let image = try await recorded(
      MultipartBody.contentType,
      MultipartBody.field("title", "me") + MultipartBody.file("image", filename: "photo", bytes))
    #expect(image.byteCount > bytes.count)
    var exchange = Exchange()
    exchange.body = image
    #expect(exchange.weight < 2048)
    let text = try await recorded(MultipartBody.contentType, MultipartBody.field("title", "").dropLast(2) + bytes)
    #expect(text.parameters == [:])
    #expect(text.problem?.contains("more than the 65536 bytes of text") == true)
    let json = try await recorded("application/json", Array("{\"a\":\"".utf8) + bytes)
    #expect(json.parameters == [:])
    #expect(json.problem?.contains("more than the 65536 bytes") == true)
  }

  /// What is recorded of a body that is read to its end.
  private func recorded(_ type: String, _ bytes: [UInt8]) async throws -> Exchange.Body {
    let request = Request("POST", "/", fields: [("Content-Type", type)])
    let recorder = BodyRecorder(
      Request(
        head: request.head, body: RequestBody(length: nil, source: PiecesBody(bytes, sizes: [65_536])), peer: ""))
    var count = 0
    while let piece = try await recorder.next() { count += piece.count }
    #expect(count == bytes.count)
    return recorder.recorded(SecretMask(for: request, try Fixture().worlds.main.application))
  }

  // MARK: - Waiting

  /// Waits in a task of its own, which has begun to wait when this returns.
  private func waiting(
    for filter: ExchangeFilter, count: Int = 1, timeout: Duration = .seconds(3600), givesWay: Bool = false
  ) async throws -> Task<[Exchange], any Error> {
    let before = journal.waiterCount
    let task = Task {
      try await journal.exchanges(matching: filter, atLeast: count, within: timeout, givesWay: givesWay)
    }
    try await waitUntil { journal.waiterCount > before }
    return task
  }

  @Test func `a later exchange ends a wait`() async throws {
    journal.add(.sample("GET", "/a"))
    let one = try await waiting(for: .get("/a"), count: 3)
    let other = try await waiting(for: .get("/b"))
    journal.add(.sample("GET", "/a"), .sample("POST", "/a"), .sample("GET", "/a"))
    #expect(try await one.value.map(\.id) == [1, 2, 4])
    #expect(journal.waiterCount == 1)
    journal.add(.sample("GET", "/b"))
    #expect(try await other.value.map(\.path) == ["/b"])
    #expect(journal.waiterCount == 0)
  }

  @Test func `it can be cancelled, also before it begins`() async throws {
    let begun = try await waiting(for: .any)
    begun.cancel()
    await #expect(throws: CancellationError.self) { try await begun.value }
    let late = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await journal.exchanges(within: .seconds(5))
    }
    late.cancel()
    await #expect(throws: CancellationError.self) { try await late.value }
    #expect(journal.waiterCount == 0)
  }

  @Test func `exchanges before a clearing do not count`() async throws {
    let waiting = try await waiting(for: .any, count: 2)
    journal.add(.sample("GET", "/a"))
    journal.clear()
    journal.add(.sample("GET", "/b"))
    #expect(journal.waiterCount == 1)
    journal.add(.sample("GET", "/c"))
    #expect(try await waiting.value.map(\.path) == ["/b", "/c"])
  }

  @Test func `a server that stops ends all waits`() async throws {
    let waiting = try await waiting(for: .any)
    journal.endWaiting()
    await #expect(throws: ControlError.self) { try await waiting.value }
    await #expect(throws: ControlError.self) { try await journal.exchanges(within: .seconds(5)) }
  }

  @Test func `the number of waits is limited, and those that give way end for others`() async throws {
    var tasks: [Task<[Exchange], any Error>] = []
    for number in 0..<Journal.maxWaiters {
      tasks.append(try await waiting(for: .get("/a"), givesWay: number == 1 || number == 2))
    }
    // The oldest first.
    for _ in 1...2 {
      tasks.append(Task { try await journal.exchanges(matching: .get("/a"), within: .seconds(3600)) })
      #expect(try await tasks.remove(at: 1).value == [])
      try await waitUntil { journal.waiterCount == Journal.maxWaiters }
    }
    await #expect(throws: ControlError.self) { try await journal.exchanges(within: .seconds(5)) }
    journal.add(.sample("GET", "/a"))
    for task in tasks { #expect(try await task.value.count == 1) }
  }
}

extension Journal {
  fileprivate var waiterCount: Int { state.withLock { $0.waiters.count } }
}
