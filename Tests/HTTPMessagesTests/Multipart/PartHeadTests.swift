import Testing

@testable import HTTPMessages

@Suite struct PartHeadTests {
  /// The head of the iOS client's image part, with another filename parameter.
  private func imageHead(_ filename: String) -> [UInt8] {
    Array(
      ("Content-Disposition: attachment; name=\"image\"; filename=\(filename)\r\n"
        + "Content-Type: application/octet-stream\r\n").utf8)
  }

  @Test(
    arguments: [
      (#""photo""#, "photo"), (#""photo.jpg""#, "photo.jpg"), (#""my photo.jpg""#, "my photo.jpg"),
      (#""/etc/../tmp/photo.jpg""#, "photo.jpg"), (#""C:\Users\jo\photo.jpg""#, "photo.jpg"), (#""a/b/""#, "b"),
      (#""/""#, nil), (#""\\/""#, nil), (#""..""#, ".."), (#""a\"b.jpg""#, "a\"b.jpg"), (#""a\\b.jpg""#, "b.jpg"),
      (#""a"b".jpg""#, "a\"b\".jpg"), (#""a;b.jpg""#, "a;b.jpg"), ("\"日本ü.jpg\"", "日本ü.jpg"),
      (#""a%20b.jpg""#, "a b.jpg"), (#""100%.jpg""#, "100%.jpg"), (#""100%-%20.jpg""#, "100%-%20.jpg"),
      (#""100%+.jpg""#, "100%+.jpg"), (#""a+b.jpg""#, "a b.jpg"), (#""a%2Fb.jpg""#, "b.jpg"),
      (#""a%5Cb.jpg""#, "b.jpg"), (#""a%5C%22b.jpg""#, "a\"b.jpg"), (#""<b>&.jpg""#, "<b>&.jpg"),
      ("photo.jpg", "photo.jpg"), ("photo", "photo"), (#""plain.jpg"; filename*=UTF-8''na%C3%AFve.jpg"#, "plain.jpg"),
      ("\"" + String(repeating: "x", count: 256) + "\"", String(repeating: "x", count: 256)), ("\"a\0b\"", "a\0b"),
      (#""one"; filename="two""#, "two"), (#""one" x; filename=two"#, "two"), ("\"a\"  ", "a"), (#""a" ; b=c"#, "a"),
    ])
  func `File names, as recorded from the original`(parameter: String, filename: String?) throws {
    #expect(try PartHead(imageHead(parameter)) == PartHead(name: "image", kind: .file(filename: filename)))
  }

  @Test(
    arguments: [
      ("Content-Disposition: form-data; name=\"title\"\r\n", "title", .field),
      ("CONTENT-DISPOSITION: FORM-DATA; NAME=\"image\"; FILENAME=\"p\"\r\n", "image", .file(filename: "p")),
      ("Content-Disposition: form-data; filename=\"f.jpg\"; name=\"image\"\r\n", "image", .file(filename: "f.jpg")),
      (
        "Content-Disposition: form-data; name=\"image\"; filename*=UTF-8''na%C3%AFve.jpg; filename=\"plain.jpg\"\r\n",
        "image", .file(filename: "plain.jpg")
      ),
      ("Content-Disposition: form-data; name=\"image\"; filename*=UTF-8''na%C3%AFve.jpg\r\n", "image", .field),
      ("Content-Disposition: form-data; name=\"image\"; filename=\r\n", "image", .field),
      ("Content-Disposition: form-data; name=\"image\"; filename=\"\"\r\n", "image", .dropped),
      ("Content-Disposition: form-data; name=\"image\"; filename=\"open\r\n", "image", .field),
      ("Content-Disposition: form-data; name=\"image\";filename=\"p\"\r\n", "image", .field),
      ("Content-Disposition: form-data; name=\"image\";  filename=\"p\"\r\n", "image", .field),
      ("Content-Disposition: form-data; name=image; filename=photo\r\n", "image", .file(filename: "photo")),
      ("Content-Disposition: form-data; name=title\r\n", "title\r\n", .field),
      ("Content-Disposition: form-data; name=\"\"\r\n", "", .field),
      ("Content-Disposition: form-data;name=\"title\"\r\n", nil, .field),
      ("Content-Disposition: form-data;\r\n name=\"title\"\r\n", "title", .field),
      ("Content-Disposition: form-data;\r\n name=\"a\";\r\n filename=\"p\"\r\n", "a", .field),
      ("Content-Disposition: form-data\r\n ; filename=\"p\"\r\n", nil, .file(filename: "p")),
      ("Content-Disposition: form-data; name=\"a\"; name=\"b\"\r\n", "b", .field),
      ("Content-Disposition: form-data; name=\"photo[title]\"\r\n", "photo[title]", .field),
      ("Content-Disposition: form-data\r\n", nil, .field), ("Content-Disposition:\r\n", nil, .field),
      ("X-Content-Disposition: x; name=\"a\"; filename=\"p\"\r\n", "a", .field),
      ("Content-ID:  <id>\r\n", "<id>", .field), ("Content-Disposition: inline\r\nContent-ID: id\r\n", "id", .field),
      ("Content-Type: text/plain\r\n", nil, .field), ("\r\n", nil, .field), ("", nil, .field),
      (
        "\r\nx\r\n--B\r\nContent-Disposition: form-data; name=\"image\"; filename=\"p\"\r\n",
        "image", .file(filename: "p")
      ),
    ] as [(String, String?, PartHead.Kind)])
  func `a head names its part, and a file says so`(text: String, name: String?, kind: PartHead.Kind) throws {
    #expect(try PartHead(Array(text.utf8)) == PartHead(name: name, kind: kind))
  }

  @Test(arguments: ["%ff.jpg", "%C3/a", "a\\%FF"])
  func `a file name that is not UTF-8 is refused`(filename: String) {
    #expect(throws: ParameterError.self) { try PartHead(imageHead("\"\(filename)\"")) }
  }
}
