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
    #expect(error.message.hasPrefix(isInTarget ? "The request target holds '\(found)'" : "This port speaks HTTP; "))
    // Whatever comes with it makes no difference.
    var other = HeadScanner()
    #expect(throws: RequestError.self) { try scan(&other, bytes, upTo: bytes.count) }
  }

  @Test(arguments: [
    ("RFB 003.008\n", "This port speaks HTTP; "), ("hello\n", "This port speaks HTTP; "),
    ("GET /\n", "This port speaks HTTP; "), ("GET / HTTP/1.1\n", "A line of the request head ends with LF alone."),
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

  @Test func `a request line may be as long as the limit and no longer`() {
    var limits = Limits()
    limits.maxRequestLine = 40
    let line = "GET /" + String(repeating: "a", count: 26) + " HTTP/1.1"
    #expect(line.utf8.count == 40)
    let head = line + "\r\n\r\n"
    #expect(verdicts(head, limits: limits) == ["\(head.utf8.count)"])
    #expect(verdicts("x" + head, limits: limits) == ["414"])
  }

  @Test func `a head may be as long as the limit and no longer`() {
    var limits = Limits()
    limits.maxHead = 60
    let start = "GET / HTTP/1.1\r\nHost: a\r\nX: "
    let head = start + String(repeating: "x", count: 60 - start.utf8.count - 4) + "\r\n\r\n"
    #expect(head.utf8.count == 60)
    #expect(verdicts(head, limits: limits) == ["60"])
    let longer = start + "x" + head.dropFirst(start.count)
    #expect(verdicts(longer, limits: limits) == ["431"])
  }

  @Test func `there may be as many fields as the limit and no more`() {
    var limits = Limits()
    limits.maxFieldCount = 3
    let head = "GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n"
    #expect(verdicts(head, limits: limits) == ["\(head.utf8.count)"])
    #expect(verdicts(head.replacing("C: 3\r\n", with: "C: 3\r\nD: 4\r\n"), limits: limits) == ["431"])
  }
}
