import HTTPMessages
import Testing

@testable import HTTPServer

/// What is parsed; `MalformedRequestTests` has what is refused.
@Suite struct RequestParserTests {
  @Test func `the parts of a request`() throws {
    let head = try parse(
      "DELETE /api/delete_photo?id=7&x=? HTTP/1.1\r\nHost: photos.example:3000\r\nX-Empty:\r\nX-Spaced: \t a b \t\r\n\r\n"
    )
    #expect(head.method == .delete)
    #expect(head.version == .http11)
    #expect(text(head.target) == "/api/delete_photo?id=7&x=?")
    #expect(text(head.path) == "/api/delete_photo")
    #expect(text(head.query) == "id=7&x=?")
    #expect(text(head.host) == "photos.example:3000")
    #expect(head.fields.text(FieldName("x-empty")) == "")
    #expect(head.fields.text(FieldName("x-spaced")) == "a b")
    #expect(head.fields.pairs.count == 3)
  }

  @Test(arguments: [
    ("GET", Method.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch), ("DELETE", .delete),
    ("OPTIONS", .options), ("TRACE", .trace), ("get", .other), ("PROPFIND", .other), ("!#$%&'*+-.^_`|~", .other),
  ])
  func `methods are tokens, and their case matters`(name: String, method: Method) throws {
    #expect(try parse("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n").method == method)
  }

  @Test(arguments: [
    ("/", "/", nil, "a"), ("//a//b", "//a//b", nil, "a"), ("/?", "/", "", "a"), ("/%00%zz", "/%00%zz", nil, "a"),
    ("/a[]=1&[b]?c[]", "/a[]=1&[b]", "c[]", "a"), ("http://b", "", nil, "b"), ("http://b/", "/", nil, "b"),
    ("HTTP://b:80/p?q", "/p", "q", "b:80"), ("https://b?q", "", "q", "b"),
    ("http://[::1]:3000/p", "/p", nil, "[::1]:3000"), ("http://[fe80::1%en0]/", "/", nil, "[fe80::1]"),
    ("http://[fe80::1%25en0]:3000/", "/", nil, "[fe80::1]:3000"), ("/^?\\{", "/^", "\\{", "a"),
  ])
  func `targets in origin-form and absolute-form`(target: String, path: String, query: String?, host: String) throws {
    let head = try parse("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(text(head.path) == path)
    #expect(text(head.query) == query)
    #expect(text(head.host) == host)
  }

  @Test(arguments: [
    ("0", 0), ("5", 5), ("005", 5), ("0000000000000000000000000000012", 12), ("9223372036854775807", Int.max),
  ])
  func `a length is a row of digits`(value: String, length: Int) throws {
    #expect(try parse("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(value)\r\n\r\n").bodyLength() == length)
  }
}
