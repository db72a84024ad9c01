import APITestSupport
import HTTPMessages
import SelfieAPI
import TestSupport
import Testing

@testable import SelfieOperations

@Suite struct RefusalLogTests {
  private let api: APIFixture
  private let log: RefusalLog

  init() throws {
    api = try APIFixture { $0.trustedProxies = TrustedProxies("192.0.2.1") ?? .none }
    log = RefusalLog(clock: { [clock = api.clock] in clock.now })
  }

  private func note(
    _ status: Int = 400, _ detail: String? = "why", id: String = "", _ method: String = "GET",
    _ path: String = "/api/get_photos", fields: [(name: String, value: String)] = [], peer: String = "127.0.0.1"
  ) {
    var response = Response(status: Status(code: status))
    if let detail { response.fields.append("X-Error-Detail", detail) }
    if !id.isEmpty { response.fields.append("x-request-id", id) }
    log.note(response, to: Request(method, path, fields: fields, peer: peer), by: api.application)
  }

  @Test func `equal refusals are one, with their number, the last time and the last id`() {
    let app = [(name: "User-Agent", value: "railsauth/1 CFNetwork/3 Darwin/25")]
    note(id: "first", fields: app)
    note(401, fields: app)
    api.clock.advance(seconds: 5)
    note(id: "second", fields: app)
    let (entries, now) = (log.entries(), api.clock.now)
    #expect(entries.map(\.count) == [2, 1])
    #expect(entries[0].time == now && entries[1].time == now - 5000)
    #expect(entries[0].requestID == "second" && entries[0].app == "railsauth/1" && entries[0].detail == "why")
    #expect(entries[0].request == "GET /api/get_photos" && entries[0].client == "127.0.0.1")
    // What is new, by the number of what is known.
    #expect(log.entries(after: entries[1].number).map(\.id) == [entries[0].id])
    #expect(log.entries(after: entries[0].number).isEmpty)
  }

  @Test func `whatever differs is another one`() {
    note()
    note(404)
    note(400, "another")
    note(400, "why", "POST")
    note(400, "why", "GET", "/api/clear_token")
    note(fields: [(name: "User-Agent", value: "curl/8")])
    note(peer: "127.0.0.2")
    #expect(log.entries().map(\.count) == [Int64](repeating: 1, count: 7))
  }

  @Test func `a success is none, unless it is a preflight that is not allowed`() {
    for status in [200, 204, 304] { note(status, nil) }
    note(204, nil, "OPTIONS")
    #expect(log.entries().isEmpty)
    let preflight = [
      (name: "Origin", value: "http://a.example"), (name: "Access-Control-Request-Method", value: "POST"),
    ]
    note(204, "CORS_ORIGINS does not allow it", "OPTIONS", fields: preflight)
    #expect(log.entries().first.map { "\($0.route ?? "")" } == "preflight")
  }

  @Test func `the client is the one before the proxies, as in the log`() {
    note(fields: [(name: "X-Forwarded-For", value: "198.51.100.7")], peer: "192.0.2.1")
    note(fields: [(name: "X-Forwarded-For", value: "198.51.100.7")], peer: "203.0.113.9")
    note(fields: [(name: "Forwarded", value: "for=_hidden")], peer: "192.0.2.1")
    #expect(log.entries().map(\.client) == ["192.0.2.1", "203.0.113.9", "198.51.100.7"])
  }

  @Test func `a request that could not be read has a reason, and no path is kept but its pattern`() {
    let response = api.application.refuse(.badRequest, "It begins like HTTPS.")
    let unread = RefusedRequest(head: nil, peer: "127.0.0.1", context: nil)
    log.note(response, to: unread, by: api.application)
    note(404, nil, "GET", "/photos/\(String(repeating: "x", count: 41))?token=secret")
    let entries = log.entries()
    #expect(entries.map(\.request) == ["GET /photos/:id", "a request that could not be read"])
    #expect(entries.map(\.detail) == ["Not Found", "It begins like HTTPS."])
    #expect(!"\(entries)".contains("secret") && !"\(entries)".contains("xxx"))
  }

  @Test func `there are two hundred at most, and each kind keeps its share`() {
    for number in 0..<60 { note(500, "failure \(number)") }
    for number in 0..<120 { note(400, "reason \(number)") }
    for number in 0..<1000 { note(404, "no GET /scan\(number)", "GET", "/scan\(number)") }
    let entries = log.entries()
    #expect(entries.count == RefusalLog.maxCount && RefusalLog.maxCount == 200)
    #expect(entries.first?.detail == "no GET /scan999")
    #expect(entries.count { $0.status == 500 } == 50 && entries.count { $0.status == 400 } == 100)
    for number in 0..<1000 { note(400, "later \(number)") }
    #expect(log.entries().count { $0.status == 500 } == 50)
    #expect(log.entries().first?.detail == "later 999")
  }

  @Test func `the texts of all have 64 kilobytes at most, of which the newest is there`() {
    let (long, id) = (String(repeating: "d", count: 390), String(repeating: "i", count: 255))
    for number in 0..<300 {
      note(400, "\(number) \(long)", id: id, fields: [(name: "User-Agent", value: long)])
      note(400, "again", id: number % 2 == 0 ? id : "")
    }
    let entries = log.entries()
    let bytes = entries.reduce(0) { $0 + $1.detail.utf8.count + $1.app.utf8.count + $1.requestID.utf8.count }
    #expect(50_000...RefusalLog.maxTextBytes ~= bytes, "\(bytes)")
    #expect(entries.prefix(2).map { String($0.detail.prefix(5)) } == ["again", "299 d"])
    #expect(entries[0].count == 300 && entries[1].app.utf8.count == 40)
  }

  @Test func `what a client sends cannot control a terminal`() {
    note(400, "a\u{1b}[2J", fields: [(name: "User-Agent", value: "b\u{9b}31m\u{202e}")])
    #expect(log.entries().first.map { $0.detail + $0.app } == "a [2Jb\\u{9b}31m\\u{202e}")
  }
}
