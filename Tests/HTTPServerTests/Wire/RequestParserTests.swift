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
    ("/", "/", nil, "a"), ("//a//b", "//a//b", nil, "a"), ("/?", "/", "", "a"), ("/%00%zz", "/%00%zz", nil, "a"),
    ("/a[]=1&[b]?c[]", "/a[]=1&[b]", "c[]", "a"), ("http://b", "/", nil, "b"), ("http://b/", "/", nil, "b"),
    ("HTTP://b:80/p?q", "/p", "q", "b:80"), ("https://b?q", "/", "q", "b"),
    ("http://[::1]:3000/p", "/p", nil, "[::1]:3000"), ("http://[fe80::1%en0]/", "/", nil, "[fe80::1]"),
    ("http://[fe80::1%25en0]:3000/", "/", nil, "[fe80::1]:3000"), ("/^?\\{", "/^", "\\{", "a"),
  ])
  func `targets in origin-form and absolute-form`(target: String, path: String, query: String?, host: String) throws {
    let head = try parse("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(text(head.path) == path)
    #expect(text(head.query) == query)
    #expect(text(head.host) == host)
  }
}
