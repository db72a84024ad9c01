import HTTPMessages
import Testing

@Suite struct BodyKindTests {
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
      ("Multipart/Form-Data; Boundary=AaB03x", .multipart(boundary: Array("AaB03x".utf8))),
      ("multipart/form-data;boundary = \"a,b\\\"\" ; charset=utf-8;", .multipart(boundary: Array("a,b\"".utf8))),
      ("multipart/form-data boundary=----=_Part_1 charset=utf-8", .multipart(boundary: Array("----=_Part_1".utf8))),
      ("multipart/form-data; boundary=B; x=\"boundary=A\"", .multipart(boundary: [0x42])),
      ("multipart/form-data; x=\"; boundary=A\"; boundary=B", .multipart(boundary: [0x42])),
      ("multipart/alternative; boundary=AaB03x", .none),
      (" multipart/form-data ; boundary=B", .multipart(boundary: [0x42])),
      ("multipart/form-data, boundary=B", .multipart(boundary: [0x42])),
      ("multipart/form-data,boundary=B", .multipart(boundary: [0x42])),
      ("multipart/form-data, multipart/form-data; boundary=B", .multipart(boundary: [0x42])),
      ("multipart/form-data; boundary=B, multipart/form-data", .multipart(boundary: [0x42])),
      ("multipart/form-data; boundary=B, multipart/form-data; boundary=B", .multipart(boundary: [0x42])),
      ("multipart/form-data; boundary=B,", .multipart(boundary: [0x42])),
      ("multipart/form-data, boundary=\"a,b\"", .multipart(boundary: Array("a,b".utf8))),
      ("multipart/form-data; boundary=a,b", .multipart(boundary: Array("a,b".utf8))),
    ] as [(String?, BodyKind)])
  func `How a body is read`(contentType: String?, kind: BodyKind) throws {
    #expect(try BodyKind(contentType: contentType.map { Array($0.utf8)[...] }) == kind)
  }

  @Test(
    arguments: [
      ("multipart/form-data", "names no boundary"), ("multipart/form-data; boundary=", "names no boundary"),
      ("multipart/form-data; boundary=\"\"", "names no boundary"),
      ("multipart/mixed; charset=utf-8", "names no boundary"),
      ("multipart/form-data; boundary=a; Boundary=a", "\"Boundary\" twice"),
      ("multipart/form-data; boundary=\"", "cannot be read"), ("multipart/form-data, text/plain", "names no boundary"),
      ("multipart/form-data; boundary=a, multipart/form-data; boundary=b", "\"boundary\" twice"),
      ("multipart/form-data; boundary=" + String(repeating: "b", count: 71), "at most 70 characters"),
    ])
  func `a multipart type without one usable boundary is refused`(contentType: String, reason: String) {
    let error = #expect(throws: ParameterError.self) { try BodyKind(contentType: Array(contentType.utf8)[...]) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test func `a boundary may have 70 characters`() throws {
    let boundary = Array(repeating: UInt8(ascii: "b"), count: 70)
    let contentType = Array("multipart/form-data; boundary=".utf8) + boundary
    #expect(try BodyKind(contentType: contentType[...]) == .multipart(boundary: boundary))
  }
}
