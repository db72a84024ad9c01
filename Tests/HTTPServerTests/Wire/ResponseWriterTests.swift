import Glibc
import HTTPMessages
import Platform
import Testing

@testable import HTTPServer

@Suite struct ResponseWriterTests {
  /// The head of a response; its date, which must be right, replaced by `(now)`.
  private func write(
    _ response: Response, version: RequestHead.Version = .http11, keepsAlive: Bool = true
  ) -> String {
    var writer = ResponseWriter()
    // The second may end between the two looks at the clock.
    let before = HTTPDate(unixSeconds: Int64(time(nil))).description
    let bytes = writer.head(of: response, version: version, keepsAlive: keepsAlive)
    let after = HTTPDate(unixSeconds: Int64(time(nil))).description
    return String(decoding: bytes, as: UTF8.self)
      .replacing("Date: \(before)\r\n", with: "Date: (now)\r\n").replacing(
        "Date: \(after)\r\n", with: "Date: (now)\r\n")
  }

  private static let hello = Response(
    status: .ok, fields: ResponseFields(lines: "Content-Type: text/plain\r\n"), body: .bytes(Array("hello".utf8)))
  private static let pages = Response(status: .ok, body: .pages(BodyStream(fetch: { _, _ in [] })))
  private static let part = Response(
    status: .partialContent, body: .file(OpenFile(owning: -1), offset: 7, length: 12_345_678_901))

  @Test(
    arguments: [
      (hello, .http11, true, "200 OK|(now)|Content-Type: text/plain|Content-Length: 5"),
      (part, .http11, true, "206 Partial Content|(now)|Content-Length: 12345678901"),
      (Response(status: .notFound), .http11, true, "404 Not Found|(now)|Content-Length: 0"),
      (Response(status: Status(code: 418)), .http11, true, "418 |(now)|Content-Length: 0"),
      // Of unknown length: in chunks, or until the connection ends.
      (pages, .http11, true, "200 OK|(now)|Transfer-Encoding: chunked"),
      (pages, .http10, false, "200 OK|(now)|Connection: close"),
      // The last response of a connection says so, and to HTTP/1.0 any other.
      (Response(status: .ok), .http11, false, "200 OK|(now)|Content-Length: 0|Connection: close"),
      (Response(status: .ok), .http10, false, "200 OK|(now)|Content-Length: 0|Connection: close"),
      (Response(status: .ok), .http10, true, "200 OK|(now)|Content-Length: 0|Connection: keep-alive"),
      // Statuses without content, whatever the service gave.
      (Response(status: .noContent), .http11, true, "204 No Content|(now)"),
      (Response(status: .noContent, body: .bytes([1, 2, 3])), .http11, true, "204 No Content|(now)"),
      (Response(status: .notModified, body: .bytes([1, 2, 3])), .http11, true, "304 Not Modified|(now)"),
    ] as [(Response, RequestHead.Version, Bool, String)])
  func `the lines of a head`(_ response: Response, version: RequestHead.Version, keepsAlive: Bool, lines: String) {
    #expect(
      write(response, version: version, keepsAlive: keepsAlive)
        == "HTTP/1.1 " + lines.replacing("(now)", with: "Date: (now)").replacing("|", with: "\r\n") + "\r\n\r\n")
  }

  @Test func `no field value can begin another line`() {
    var response = Response(status: .ok)
    response.fields.append("X-Name", "a\r\nSet-Cookie: b\u{0}\u{7f}")
    #expect(
      write(response)
        == "HTTP/1.1 200 OK\r\nDate: (now)\r\nX-Name: a  Set-Cookie: b  \r\nContent-Length: 0\r\n\r\n")
  }
}
