import Platform
import Testing

@testable import HTTPServer

@Suite struct HeadScannerTests {
  /// The scanner's results for bytes that come all at once, and cut in two anywhere.
  private func verdicts(_ text: String, limits: Limits = Limits()) -> Set<String> {
    let bytes = Array(latin1: text)
    var verdicts: Set<String> = []
    for cut in 0...bytes.count {
      var scanner = HeadScanner()
      do throws(RequestError) {
        let early = try scan(&scanner, bytes, upTo: cut, limits: limits)
        let length = if let early { early } else { try scan(&scanner, bytes, upTo: bytes.count, limits: limits) }
        verdicts.insert(length.map(String.init) ?? "incomplete")
      } catch {
        verdicts.insert(String(error.status.code))
      }
    }
    return verdicts
  }

  private static let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: [
    (head, "\(head.utf8.count)"), (head + "GET /next HTTP/1.1\r\n", "\(head.utf8.count)"), ("", "incomplete"),
    ("GET / HTTP/1.1\r\nHost: a\r\n", "incomplete"), ("GET / HTTP/1.1\r\nHost: a\r\n\r", "incomplete"),
    ("GET / HTTP/1.1\n", "400"), ("GET / HTTP/1.1\r\nHost: a\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost: a\r\n\n", "400"),
    ("\nGET / HTTP/1.1\r\n", "400"),
  ])
  func `a head is found however its bytes are cut`(text: String, verdict: String) {
    #expect(verdicts(text) == [verdict])
  }

  @Test(arguments: [
    ("SSH-2.0-OpenSSH_9.6\r\n", 20), ("\u{0}\u{0}\u{0}", 1), ("\u{80}", 1),
    (" GET / HTTP/1.1\r\n", 1), ("GET\t/", 4), ("GET  /", 5), ("GET /\u{e9}", 6), ("GET /\"", 6), ("GET / a", 7),
    ("GET / HTTX", 10), ("GET / HTTP/1.1 ", 15), ("GET / HTTP/1.1\rX", 16), ("GET / HTTP/x", 12),
    ("EHLO example.com\r\n", 17), ("\u{5}\u{1}\u{0}", 1), ("{\"a\":1}", 1), ("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n", 31),
    ("GET /{", 6), ("GET /?{}\"", 9), ("GET /?\u{1}", 7),
  ])
  func `what is no request is refused at its first impossible byte`(text: String, place: Int) throws {
    let bytes = Array(latin1: text)
    var scanner = HeadScanner()
    for count in 0..<place { #expect(try scan(&scanner, bytes, upTo: count) == nil) }
    let error = try #require(throws: RequestError.self) { try scan(&scanner, bytes, upTo: place) }
    #expect(error.status == .badRequest)
    let isInTarget = text.hasPrefix("GET /") && !text.hasPrefix("GET / ")
    let found = String(printable: [bytes[place - 1]])
    #expect(error.message.hasPrefix(isInTarget ? "The request target holds '\(found)'" : "This port speaks HTTP, "))
    // Whatever comes with it makes no difference.
    var other = HeadScanner()
    #expect(throws: RequestError.self) { try scan(&other, bytes, upTo: bytes.count) }
  }

  @Test(arguments: [
    ("RFB 003.008\n", "This port speaks HTTP, "), ("hello\n", "This port speaks HTTP, "),
    ("GET /\n", "This port speaks HTTP, "), ("GET / HTTP/1.1\n", "A line of the request head ends with LF alone."),
    ("GET / HTTP/1.1\r\nHost: a\n", "A line of the request head ends with LF alone."),
  ])
  func `a line that ends with LF alone is told so if it is HTTP's`(text: String, message: String) throws {
    var scanner = HeadScanner()
    let error = try #require(throws: RequestError.self) {
      try scan(&scanner, Array(latin1: text), upTo: text.utf8.count)
    }
    #expect(error.message.hasPrefix(message))
  }

  @Test func `the beginning of TLS is told so`() throws {
    var scanner = HeadScanner()
    let error = try #require(throws: RequestError.self) { try scan(&scanner, [0x16, 0x03, 0x01], upTo: 1) }
    #expect(error.message.hasPrefix("This port speaks HTTP; what has arrived begins like HTTPS."))
  }

  /// With one character or field more, they are beyond the limit.
  @Test(
    arguments: [
      (\.maxRequestLine, 40, "GET /\(many("a", 26)) HTTP/1.1", "x", 414),
      (\.maxHead, 60, "GET / HTTP/1.1\r\nHost: a\r\nX: \(many("x", 28))", "x", 431),
      (\.maxFieldCount, 3, "GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3", "\r\nD: 4", 431),
    ] as [(WritableKeyPath<Limits, Int> & Sendable, Int, String, String, Int)])
  func `a head may reach each limit, and go no further`(
    limit: WritableKeyPath<Limits, Int> & Sendable, value: Int, start: String, more: String, status: Int
  ) {
    let limits = Limits().with { $0[keyPath: limit] = value }
    let head = start + "\r\n\r\n"
    #expect(verdicts(head, limits: limits) == ["\(head.utf8.count)"])
    let longer = limit == \.maxRequestLine ? more + head : start + more + "\r\n\r\n"
    #expect(verdicts(longer, limits: limits) == ["\(status)"])
  }
}
