import HTTPMessages
import Testing

@testable import HTTPServer

@Suite struct BodyFramingTests {
  private func framing(_ fields: [String], version: String = "1.1") throws -> BodyFraming {
    let head = "POST / HTTP/\(version)\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    return try BodyFraming(of: parse(head))
  }

  private func refusal(_ fields: [String], version: String = "1.1") -> Int? {
    let error = #expect(throws: RequestError.self) { try framing(fields, version: version) }
    return error?.status.code
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

  @Test(arguments: [
    "", "+5", "-5", "-0", "0x5", "5x", "5.0", "1e3", "5,5", "5, 5", "5 5", ",5", "5;", "\"5\"", "five", "½",
    "9223372036854775808", "18446744073709551616", "99999999999999999999999999",
  ])
  func `anything else is no length`(value: String) {
    #expect(refusal(["Content-Length: \(value)"]) == 400)
  }

  @Test func `two lengths are refused, equal or not`() {
    #expect(refusal(["Content-Length: 5", "Content-Length: 5"]) == 400)
    #expect(refusal(["Content-Length: 5", "content-length: 6"]) == 400)
  }

  @Test(arguments: ["chunked", "Chunked", "CHUNKED", "  chunked\t"])
  func `chunked is understood in any case`(value: String) throws {
    #expect(try framing(["Transfer-Encoding: \(value)"]) == .chunked)
  }

  @Test(arguments: [
    "", "identity", "gzip", "gzip, chunked", "chunked, chunked", "chunked,", ",chunked", "chunked;q=1", "xchunked",
    "chunke", "chunkedd", "\"chunked\"", "chun ked", "cHUNKEd, identity",
  ])
  func `other codings are not`(value: String) {
    #expect(refusal(["Transfer-Encoding: \(value)"]) == 501)
  }

  @Test func `two coding fields are refused`() {
    #expect(refusal(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"]) == 501)
  }

  @Test func `a length and a coding together are refused`() {
    #expect(refusal(["Transfer-Encoding: chunked", "Content-Length: 5"]) == 400)
    #expect(refusal(["Content-Length: 0", "Transfer-Encoding: identity"]) == 400)
  }

  @Test func `HTTP 1.0 has no codings`() {
    #expect(refusal(["Transfer-Encoding: chunked"], version: "1.0") == 400)
    #expect(refusal(["Transfer-Encoding: gzip"], version: "1.0") == 400)
  }
}
