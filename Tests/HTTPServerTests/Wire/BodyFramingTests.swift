import HTTPMessages
import Testing

@testable import HTTPServer

/// Lengths that no test sends; `MalformedRequestTests` has codings, and what is refused.
@Suite struct BodyFramingTests {
  @Test(arguments: [
    ("0", 0), ("5", 5), ("005", 5), ("0000000000000000000000000000012", 12), ("9223372036854775807", Int.max),
  ])
  func `a length is a row of digits`(value: String, length: Int) throws {
    #expect(try parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(value)\r\n\r\n").bodyLength() == length)
  }
}
