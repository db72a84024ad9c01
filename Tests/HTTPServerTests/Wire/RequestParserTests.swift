import HTTPMessages
import Testing

@testable import HTTPServer

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
    "", "a", "a/b", "?q", "*", "ftp://b/", "http:/b", "http:b", "http//b/", "http:///p", "http://", "http://?q",
    "http://u@b/", "http://b:x/", "http://b:80:80/", "http://[::1/", "http://::1/", "b:80", "/#f", "/\u{0}", "/\u{7f}",
    "mailto:a@b", "/a\"b", "/<a>", "/\\a", "/a^b", "/`", "/{a}", "/a|b", "/\u{e9}", "/\u{80}", "/?q=\"a\"", "/?{",
  ])
  func `other targets are refused`(target: String) {
    #expect(refusal("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") == 400)
  }

  @Test func `CONNECT is not implemented`() {
    #expect(refusal("CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n") == 501)
    #expect(refusal("CONNECT / HTTP/1.1\r\nHost: b\r\n\r\n") == 501)
  }

  @Test(arguments: [
    ("HTTP/1.1", nil), ("HTTP/1.0", nil), ("HTTP/1.2", nil), ("HTTP/1.9", nil), ("HTTP/2.0", 505), ("HTTP/0.9", 505),
    ("HTTP/9.9", 505),
    ("http/1.1", 400), ("HTTP/1.1 ", 400), (" HTTP/1.1", 400), ("HTTP/1", 400), ("HTTP/11", 400), ("HTTP/1.10", 400),
    ("HTTP/01.1", 400), ("HTTP/1,1", 400), ("HTTP/a.b", 400), ("HTTPS/1.1", 400), ("ICY/1.1", 400), ("", 400),
    ("HTTP/1.1\t", 400), ("HTTP/1.1\r", 400), ("HTTP/1.\u{b2}", 400),
  ])
  func `versions of HTTP/1 are taken, and no others`(version: String, status: Int?) throws {
    let head = "GET / \(version)\r\nHost: a\r\n\r\n"
    if let status {
      #expect(refusal(head) == status)
    } else {
      #expect(throws: Never.self) { try parse(head) }
    }
  }

  @Test(arguments: [
    "a", "a.example", "A-b_c~1", "a:", "a:80", "a:65535", "127.0.0.1:3000", "[::1]", "[::1]:3000", "[v1.a:b]",
    "%61", "a!$&'()*+,;=b",
  ])
  func `a host may be a name or an address, with a port or without`(host: String) throws {
    #expect(text(try parse("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n").host) == host)
  }

  @Test(arguments: [
    "", " ", ":", ":80", "a b", "a/b", "a?b", "a#b", "a@b", "a\\b", "a\"b", "<a>", "a:b", "a:80:80", "a:80x", "a:+80",
    "::1", "[::1", "::1]", "[]", "[]:80", "[::1]x", "[::1]80", "[[::1]]", "a[b]", "http://a", "\u{e4}",
    "%", "%6", "%6g", "a%",
  ])
  func `what is no host is refused`(host: String) {
    #expect(refusal("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 400)
    // The Host field must be right even where the target replaces it (RFC 9112 §3.2).
    #expect(refusal("GET http://b/ HTTP/1.1\r\nHost: \(host)\r\n\r\n") == 400)
    #expect(refusal("GET / HTTP/1.0\r\nHost: \(host)\r\n\r\n") == 400)
  }

  @Test func `one Host on HTTP 1.1, one or none on HTTP 1.0`() throws {
    #expect(refusal("GET / HTTP/1.1\r\n\r\n") == 400)
    #expect(refusal("GET http://b/ HTTP/1.1\r\n\r\n") == 400)
    #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n") == 400)
    #expect(refusal("GET / HTTP/1.0\r\nHost: a\r\nhOST: b\r\n\r\n") == 400)
    #expect(try parse("GET / HTTP/1.0\r\n\r\n").host == nil)
  }

  @Test(arguments: [
    "X", "X ", ": v", "X : v", "X\t: v", " X: v", "\tX: v", "X Y: v", "X@: v", "X[: v", "\u{e4}: v", "X\u{0}: v",
    "\r", "\rX: v", "X: a\u{0}b", "X: a\rb", "X: a\u{b}b", "X: \u{1b}", "X: \u{7f}", "\"X\": v", "X(: v", "=: v",
  ])
  func `malformed fields are refused`(line: String) {
    #expect(refusal("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n") == 400)
  }

  @Test(arguments: ["X:v", "X:  v  ", "X: a\tb", "X: \u{80}\u{ff}", "X: a: b", "!#$%&'*+-.^_`|~: v", "X:"])
  func `unusual fields are taken`(line: String) throws {
    #expect(try parse("GET / HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n").fields.count == 2)
  }

  @Test(arguments: [
    " GET / HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1", "GET /", "GET",
    "/ HTTP/1.1", "GET HTTP/1.1", "GE(T / HTTP/1.1", "GET:/ HTTP/1.1", "\u{0}GET / HTTP/1.1", "G\rET / HTTP/1.1",
    "GET / a HTTP/1.1", "GET /\rHTTP/1.1", "\u{16}\u{3}\u{1}", "G\u{c9}T / HTTP/1.1",
  ])
  func `malformed request lines`(line: String) {
    #expect(refusal("\(line)\r\nHost: a\r\n\r\n") == 400)
  }
}
