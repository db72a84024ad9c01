import Testing

/// Unusual and malformed requests that must have one outcome.
struct WireCases: Sendable, CustomTestStringConvertible {
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

  let outcome: Outcome
  /// Each character stands for one byte.
  let requests: [String]

  static func raw(_ outcome: Outcome, _ requests: String...) -> WireCases {
    WireCases(outcome: outcome, requests: requests)
  }

  /// Requests of GET with the right Host field and one more line.
  static func field(_ outcome: Outcome, _ lines: String...) -> WireCases { fields(outcome, lines) }

  static func fields(_ outcome: Outcome, _ lines: [String]) -> WireCases {
    WireCases(outcome: outcome, requests: lines.map { "GET / HTTP/1.1\r\nHost: a\r\n\($0)\r\n\r\n" })
  }

  /// Requests of POST to `/` with these header lines, and a body.
  static func post(_ outcome: Outcome, body: String, _ lines: String...) -> WireCases {
    WireCases(outcome: outcome, requests: lines.map { "POST / HTTP/1.1\r\nHost: a\r\n\($0)\r\n\r\n\(body)" })
  }

  /// Requests of POST to `/` whose body has the chunked coding.
  static func chunks(_ outcome: Outcome, _ bodies: String...) -> WireCases {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
    return WireCases(outcome: outcome, requests: bodies.map { head + $0 })
  }

  /// Request lines, with the right Host field.
  static func line(_ outcome: Outcome, _ lines: String...) -> WireCases {
    WireCases(outcome: outcome, requests: lines.map { "\($0)\r\nHost: a\r\n\r\n" })
  }

  /// Requests of GET with these Host lines only.
  static func host(_ outcome: Outcome, _ lines: String...) -> WireCases {
    WireCases(outcome: outcome, requests: lines.map { "GET / HTTP/1.1\r\n\($0)\r\n\r\n" })
  }

  var testDescription: String { "\(requests.count) requests like \(Array(latin1: requests[0]).escaped) -> \(outcome)" }
}
