import APITestSupport
import HTTPMessages
import SelfieTestDocuments
import TestSupport
import Testing

@testable import SelfieTestControl

@Suite(.timeLimit(.minutes(10))) struct JournalTests {
  let journal = Journal()

  @Test func `it keeps the newest`() {
    for number in 1...(journal.size + 5) { journal.add(.sample("GET", "/\(number)")) }
    #expect(journal.count() == journal.size)
    #expect(journal.exchange(5) == nil)
    #expect(journal.exchange(6)?.path == "/6")
    #expect(journal.exchanges().map(\.id) == Array(6...Int64(journal.size + 5)))
  }

  /// 3,201 requests have gone of 4,201.
  @Test(arguments: [
    ExchangeFilter.get("/none"), .get("/gone"), .any.since(3_200),
  ]) func `what is no longer kept cannot be told`(filter: ExchangeFilter) async throws {
    journal.add(.sample("GET", "/gone"))
    for _ in 0..<4_200 { journal.add(.sample("GET", "/other")) }
    for counts in [0...0, 1...1, Int.min...1_000] {
      let mismatch = try await mismatch(filter, counts)
      let advice = "1,000 requests are kept; 3,201 have gone. Clear the journal first, or raise JOURNAL_SIZE."
      #expect(mismatch?.message.hasSuffix("but that cannot be told: \(advice)") == true || filter.since != nil)
      #expect(mismatch != nil)
    }
    await #expect(throws: ControlError.self) { try await journal.exactCount(of: filter) }
    // What came later is known, and so is enough of it.
    let later = ExchangeFilter.get("/none").since(3_201)
    #expect(try await journal.verify(later, 0...0) == 0)
    #expect(try await journal.exactCount(of: .any.since(3_201)) == 1_000)
    #expect(try await journal.verify(.get("/other"), 999...Int.max) == 1_000)
    #expect(try await mismatch(.get("/other"), 0...0)?.message.contains("but there were 1,000.") == true)
    journal.clear()
    #expect(try await journal.verify(filter, 0...0) == 0)
  }

  private func mismatch(_ filter: ExchangeFilter, _ counts: ClosedRange<Int>) async throws -> ExchangeMismatch? {
    do {
      try await journal.verify(filter, counts, patience: .zero)
      return nil
    } catch let mismatch as ExchangeMismatch {
      return mismatch
    }
  }

  @Test func `a large exchange counts as many small ones`() {
    let text = SelfieTestDocuments.JSONValue.string(String(repeating: "x", count: RecordedBody.maxBytes))
    for _ in 0..<journal.size { journal.add(.sample(parameters: ["title": text])) }
    #expect((100...256).contains(journal.count()), "\(journal.count())")
    for _ in 0..<journal.size { journal.add(.sample()) }
    #expect(journal.count() == journal.size)
  }

  @Test func `the newest exchange is kept, however large it is`() {
    let text = SelfieTestDocuments.JSONValue.string(String(repeating: "x", count: journal.maxWeight))
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
  func `it checks how many there are`(counts: ClosedRange<Int>, isRight: Bool) async {
    journal.add(.sample("GET", "/a"), .sample("GET", "/b"), .sample("GET", "/a"))
    #expect((try? await journal.verify(.get("/a"), counts)) == (isRight ? 2 : nil))
    // One under way counts, whatever its response will be.
    journal.clear()
    journal.add(.sample("GET", "/a"))
    _ = journal.begin(.arrived("GET", "/a"))
    #expect((try? await journal.verify(.get("/a"), counts)) == (isRight ? 2 : nil))
  }

  @Test(arguments: [
    (ExchangeFilter.any, ExchangeFilter.Match.yes), (.get("/a"), .yes), (.any.with(field: "Accept", "b"), .yes),
    (.any.since(7), .yes), (.get("/b"), .no), (.post("/a"), .no), (.any.with(field: "Accept", "c"), .no),
    (.get("/a", status: 200), .open), (.any.with(parameter: "email", "a"), .open), (.get("/b", status: 200), .no),
    (.any.without(parameter: "email"), .open), (.any.without(field: "Accept"), .no), (.any.without(field: "Via"), .yes),
  ]) func `a request under way matches, does not match, or leaves it open`(
    filter: ExchangeFilter, match: ExchangeFilter.Match
  ) {
    let exchange = Exchange.arrived("GET", "/a", fields: [.init(name: "Accept", value: "b")])
    #expect(filter.match(exchange) == match)
  }

  @Test func `a check waits for the response that decides`() async throws {
    for status in [500, 200] {
      journal.clear()
      let number = journal.begin(.arrived("GET", "/a"))
      async let verified = journal.verify(.get("/a", status: 500), 0...0, patience: .seconds(3600))
      async let counted = journal.exactCount(of: .get("/a", status: 500), patience: .seconds(3600))
      try await waitUntil { journal.waiterCount == 2 }
      journal.add(.sample("GET", "/other"))
      journal.end(number, with: .sample("GET", "/a", status))
      #expect((try? await verified) == (status == 500 ? nil : 0))
      #expect(try await counted == (status == 500 ? 1 : 0))
    }
  }

  @Test func `a check does not wait for ever, and never passes`() async throws {
    journal.add(.sample("GET", "/a", 500))
    _ = journal.begin(.arrived("GET", "/a"))
    for counts in [0...0, 1...1, 2...2, Int.min...1] {
      #expect(try await mismatch(.get("/a", status: 500), counts) != nil)
    }
    #expect(
      try await "\(#require(mismatch(.get("/a", status: 500), 1...1)))" == """
        Expected exactly 1 GET /a with status 500, but there was 1, and 1 more is under way.
        It is:
          #1 GET /a -> 500
        The nearest is:
          GET /a, under way: there is no response yet
        """)
    #expect(
      try await "\(#require(mismatch(.get("/a"), 0...0)))" == """
        Expected no GET /a, but there were 2.
        They are:
          #1 GET /a -> 500
          GET /a, under way
        """)
    let error = await #expect(throws: ControlError.self) {
      try await journal.exactCount(of: .get("/a", status: 500), patience: .zero)
    }
    #expect(error?.description == "The count cannot be told yet: 1 request that may match is still under way.")
  }

  @Test func `one who waits for a response hears of the request that has none yet`() async throws {
    _ = journal.begin(.arrived("GET", "/a"))
    let late = await #expect(throws: ExchangeMismatch.self) {
      try await journal.exchanges(matching: .get("/a"), within: .zero)
    }
    #expect(
      late.map { "\($0)" } == """
        Expected at least 1 GET /a within 0.0 seconds, but there was none.
        The nearest is:
          GET /a, under way: there is no response yet
        """)
  }

  @Test func `the error lists the nearest exchanges, nearest first`() async throws {
    journal.add(
      .sample("GET", "/api/get_photos"), .sample("POST", "/api/signin", 401, message: "Wrong Password"),
      .sample("POST", "/api/signup", 400, message: "email - is invalid,"),
      .sample("GET", "/api/signup", 404, detail: "no GET /api/signup; there is POST /api/signup"))
    let filter = ExchangeFilter.post("/api/signup", status: 200).with(parameter: "email", "a@b.cd")
    let error = try #require(await mismatch(filter, 1...Int.max))
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

  @Test func `the error lists matching exchanges if there are too many`() async throws {
    journal.add(.sample("POST", "/api/signup"), .sample("POST", "/api/signup", 400), .sample("GET", "/up"))
    let error = try #require(await mismatch(.post("/api/signup"), 1...1))
    #expect(error.message == "Expected exactly 1 POST /api/signup, but there were 2.")
    #expect(error.near.map(\.id) == [1, 2])
    #expect(error.near.map(\.differences) == [[], []])
    let none = try #require(await mismatch(.get("/up"), 0...0))
    #expect("\(none)" == "Expected no GET /up, but there was 1.\nIt is:\n  #3 GET /up -> 200")
  }

  @Test func `the error lists those that came, and the nearest, if there are too few`() async throws {
    journal.add(.sample("POST", "/api/signup"), .sample("GET", "/api/signup"))
    #expect(
      try await "\(#require(mismatch(.post("/api/signup"), 2...2)))" == """
        Expected exactly 2 POST /api/signup, but there was 1.
        It is:
          #1 POST /api/signup -> 200
        The nearest is:
          #2 GET /api/signup -> 200: the method is GET
        """)
    let many = try #require(await mismatch(.any, 5...5))
    #expect(many.message == "Expected exactly 5 requests, but there were 2.")
    #expect(many.near.map(\.id) == [1, 2])
  }

  @Test func `a body of any size leaves little behind`() throws {
    let request = Request("POST", "/", fields: [("Content-Type", "application/json")])
    let mask = SecretMask(for: request, try Fixture().worlds.main.application)
    let body = RecordedBody(of: request)
    body.notes.note(["image": .file(filename: "photo", byteCount: 32 << 20), "title": .string("me")])
    var exchange = Exchange()
    exchange.body = body.recorded(mask)
    #expect(exchange.weight < 2048 && exchange.body.parameters.count == 2)
    body.notes.note(["title": .string(String(repeating: "A", count: RecordedBody.maxBytes))])
    let long = body.recorded(mask)
    #expect(long.parameters == [:] && long.problem?.contains("more than the 65536 bytes") == true)
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
