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

  @Test func `a response tells the length of its body`() {
    #expect(
      write(Self.hello) == "HTTP/1.1 200 OK\r\nDate: (now)\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\n")
  }

  @Test func `a body of unknown length comes in chunks, or ends with the connection`() {
    let pages = Response(status: .ok, body: .pages(BodyStream(fetch: { _, _ in [] })))
    #expect(write(pages) == "HTTP/1.1 200 OK\r\nDate: (now)\r\nTransfer-Encoding: chunked\r\n\r\n")
    #expect(
      write(pages, version: .http10, keepsAlive: false)
        == "HTTP/1.1 200 OK\r\nDate: (now)\r\nConnection: close\r\n\r\n")
  }

  @Test func `a response without a body says so`() {
    #expect(
      write(Response(status: .notFound)) == "HTTP/1.1 404 Not Found\r\nDate: (now)\r\nContent-Length: 0\r\n\r\n")
  }

  @Test(arguments: [(Status.noContent, "204 No Content"), (Status.notModified, "304 Not Modified")])
  func `statuses without content have neither length nor body, whatever the service gave`(
    status: Status, line: String
  ) {
    let expected = "HTTP/1.1 \(line)\r\nDate: (now)\r\n\r\n"
    #expect(write(Response(status: status)) == expected)
    #expect(write(Response(status: status, body: .bytes([1, 2, 3]))) == expected)
  }

  @Test func `the last response of a connection says so`() {
    #expect(
      write(Response(status: .ok), keepsAlive: false)
        == "HTTP/1.1 200 OK\r\nDate: (now)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    #expect(
      write(Response(status: .ok), version: .http10, keepsAlive: false)
        == "HTTP/1.1 200 OK\r\nDate: (now)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
  }

  @Test func `a client of HTTP 1.0 is told that its connection stays`() {
    #expect(
      write(Response(status: .ok), version: .http10)
        == "HTTP/1.1 200 OK\r\nDate: (now)\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n")
  }

  @Test func `a file's length is that of the part that is sent`() throws {
    let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    let file = OpenFile(owning: descriptor)
    #expect(
      write(Response(status: .partialContent, body: .file(file, offset: 7, length: 12_345_678_901)))
        == "HTTP/1.1 206 Partial Content\r\nDate: (now)\r\nContent-Length: 12345678901\r\n\r\n")
  }

  @Test func `no field value can begin another line`() {
    var response = Response(status: .ok)
    response.fields.append("X-Name", "a\r\nSet-Cookie: b\u{0}\u{7f}")
    #expect(
      write(response)
        == "HTTP/1.1 200 OK\r\nDate: (now)\r\nX-Name: a  Set-Cookie: b  \r\nContent-Length: 0\r\n\r\n")
  }
}
