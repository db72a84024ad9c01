import HTTPMessages
import Testing

@testable import HTTPServer

/// What is parsed; `MalformedRequestTests` has what is refused.
@Suite struct RequestParserTests {
  private func refusal(_ head: String) -> Int? {
    let error = #expect(throws: RequestError.self, "\(Array(latin1: head).escaped)") { try parse(head) }
    return error?.status.code
  }

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
    #expect(head.fields.count == 3)
  }

  @Test(arguments: [
    ("GET", Method.get), ("HEAD", .head), ("POST", .post), ("PUT", .put), ("PATCH", .patch), ("DELETE", .delete),
    ("OPTIONS", .options), ("TRACE", .trace), ("get", .other), ("PROPFIND", .other), ("!#$%&'*+-.^_`|~", .other),
  ])
  func `methods are tokens, and their case matters`(name: String, method: Method) throws {
    #expect(try parse("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n").method == method)
  }

  @Test(arguments: [
    ("/", "/", nil, "a"),
    ("//a//b", "//a//b", nil, "a"),
    ("/?", "/", "", "a"),
    ("/%00%zz", "/%00%zz", nil, "a"),
    ("/a[]=1&[b]?c[]", "/a[]=1&[b]", "c[]", "a"),
    ("http://b", "", nil, "b"),
    ("http://b/", "/", nil, "b"),
    ("HTTP://b:80/p?q", "/p", "q", "b:80"),
    ("https://b?q", "", "q", "b"),
    ("http://[::1]:3000/p", "/p", nil, "[::1]:3000"),
  ])
  func `targets in origin-form and absolute-form`(target: String, path: String, query: String?, host: String) throws {
    let head = try parse("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(text(head.path) == path)
    #expect(text(head.query) == query)
    #expect(text(head.host) == host)
  }

  @Test func `the asterisk stands for the server, with OPTIONS alone`() throws {
    #expect(text(try parse("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").path) == "*")
    #expect(refusal("GET * HTTP/1.1\r\nHost: a\r\n\r\n") == 400)
    #expect(refusal("OPTIONS ** HTTP/1.1\r\nHost: a\r\n\r\n") == 400)
  }

  @Test(arguments: [
    "a", "a.example", "A-b_c~1", "a:", "a:80", "a:65535", "127.0.0.1:3000", "[::1]", "[::1]:3000", "[v1.a:b]",
    "%61", "a!$&'()*+,;=b",
  ])
  func `a host may be a name or an address, with a port or without`(host: String) throws {
    #expect(text(try parse("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").host) == host)
  }

}
