import HTTPMessages
import Testing

@testable import HTTPServer

/// What is understood; `MalformedRequestTests` has what is refused.
@Suite struct BodyFramingTests {
  private func framing(_ fields: [String], version: String = "1.1") throws -> BodyFraming {
    let head = "POST / HTTP/\(version)\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    return try BodyFraming(of: parse(head))
  }

  @Test func `without a length or a coding there is no body`() throws {
    #expect(try framing([]) == .length(0))
    #expect(try framing([], version: "1.0") == .length(0))
  }

  @Test(arguments: [
    ("0", 0), ("5", 5), ("005", 5), ("0000000000000000000000000000012", 12), ("9223372036854775807", Int.max),
  ])
  func `a length is a row of digits`(value: String, length: Int) throws {
    #expect(try framing(["Content-Length: \(value)"]) == .length(length))
    #expect(try framing(["content-LENGTH:\t \(value) \t"], version: "1.0") == .length(length))
  }

  @Test(arguments: ["chunked", "Chunked", "CHUNKED", "  chunked\t"])
  func `chunked is understood in any case`(value: String) throws {
    #expect(try framing(["Transfer-Encoding: \(value)"]) == .chunked)
  }

}
