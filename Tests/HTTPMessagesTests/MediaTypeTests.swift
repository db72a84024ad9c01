import HTTPMessages
import Testing

@Suite struct MediaTypeTests {
  @Test(
    arguments: [
      (nil, .none), ("", .none), ("application/json", .json), ("application/json; charset=utf-8", .json),
      ("application/json; charset=utf-16", .json), ("Application/JSON", .json),
      ("application/json , text/plain", .json), ("text/x-json", .json), ("application/jsonrequest", .json),
      ("application/x-www-form-urlencoded", .form), ("application/x-www-form-urlencoded; charset=UTF-8", .form),
      ("text/plain", .none), ("application/vnd.api+json", .none), ("application/xml", .none),
      ("application/octet-stream", .none),
      ("multipart/form-data; boundary=AaB03x", .multipart(boundary: Array("AaB03x".utf8))),
      ("multipart/form-data; boundary=\"AaB03x\"", .multipart(boundary: Array("AaB03x".utf8))),
      ("multipart/form-data; boundary=AaB03x; charset=utf-8", .multipart(boundary: Array("AaB03x".utf8))),
      ("multipart/form-data; charset=utf-8; boundary=AaB03x", .multipart(boundary: Array("AaB03x".utf8))),
      ("multipart/mixed; boundary=AaB03x", .multipart(boundary: Array("AaB03x".utf8))),
      ("multipart/related; boundary=AaB03x", .multipart(boundary: Array("AaB03x".utf8))),
      ("multipart/form-data; boundary=a; boundary=b", .multipart(boundary: Array("b".utf8))),
      ("multipart/form-data; boundary=a; boundary=", .multipart(boundary: Array("a".utf8))),
      ("Multipart/Form-Data; boundary=AaB03x", .none), ("multipart/form-data; Boundary=AaB03x", .none),
      ("multipart/form-data", .none), ("multipart/form-data; boundary=", .none),
      ("multipart/form-data; boundary=\"", .none), ("multipart/alternative; boundary=AaB03x", .none),
    ] as [(String?, BodyKind)])
  func `How a body is read`(contentType: String?, kind: BodyKind) throws {
    #expect(try BodyKind(contentType: contentType.map { Array($0.utf8)[...] }) == kind)
  }

  @Test func `a boundary has at most 70 characters`() throws {
    func contentType(_ count: Int) -> ArraySlice<UInt8> {
      Array("multipart/form-data; boundary=".utf8)[...] + Array(repeating: UInt8(ascii: "b"), count: count)
    }
    #expect(try MultipartParser.boundary(contentType: contentType(70))?.count == 70)
    #expect(throws: ParameterError.self) { try MultipartParser.boundary(contentType: contentType(71)) }
  }
}
