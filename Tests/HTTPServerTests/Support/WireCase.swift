import Testing

/// One row of the tables of malformed and unusual requests: what a client sends, and what must come of it.
struct WireCase: Sendable, CustomTestStringConvertible {
  enum Outcome: Sendable, Equatable {
    /// The server refuses the head: the service sees no request, and the connection ends.
    case refused(Int)
    /// The service sees a request whose body then turns out to be malformed; the connection ends.
    case bodyRefused(String)
    /// The service sees these requests, all are answered with 200, and the connection goes on.
    case served([String])
    /// The service sees these requests, all are answered with 200, and the connection ends.
    case servedLast([String])
  }

  let bytes: [UInt8]
  let outcome: Outcome
  /// Where it is written that it must be so.
  let rule: String

  /// - Parameter text: each character stands for one byte.
  init(_ outcome: Outcome, _ text: String, _ rule: String) {
    bytes = Array(latin1: text)
    self.outcome = outcome
    self.rule = rule
  }

  /// A GET with the right Host field and one more line.
  static func field(_ outcome: Outcome, _ line: String, _ rule: String) -> WireCase {
    WireCase(outcome, "GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n", rule)
  }

  /// A POST to `/` with these header lines, and a body.
  static func post(_ outcome: Outcome, _ lines: String, _ body: String, _ rule: String) -> WireCase {
    WireCase(outcome, "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n\(body)", rule)
  }

  /// A POST to `/` whose body has the chunked coding.
  static func chunks(_ outcome: Outcome, _ body: String, _ rule: String) -> WireCase {
    post(outcome, "Transfer-Encoding: chunked", body, rule)
  }

  /// A request line, with the right Host field.
  static func line(_ outcome: Outcome, _ line: String, _ rule: String) -> WireCase {
    WireCase(outcome, "\(line)\r\nHost: a\r\n\r\n", rule)
  }

  /// A GET of HTTP/1.1 with these Host lines only.
  static func host(_ outcome: Outcome, _ lines: String, _ rule: String) -> WireCase {
    WireCase(outcome, "GET / HTTP/1.1\r\n\(lines)\r\n\r\n", rule)
  }

  var testDescription: String { "\(bytes.escaped) -> \(outcome) (\(rule))" }
}
