import Testing

@testable import HTTPMessages

@Suite struct PartHeadTests {
  /// The head of the iOS client's image part, with another filename parameter.
  private func imageHead(_ filename: String) -> ArraySlice<UInt8> {
    Array(
      ("Content-Disposition: attachment; name=\"image\"; filename=\(filename)\r\n"
        + "Content-Type: application/octet-stream\r\n").utf8)[...]
  }

  @Test(
    arguments: [
      (#""photo""#, "photo"), (#""photo.jpg""#, "photo.jpg"), (#""my photo.jpg""#, "my photo.jpg"),
      (#""/etc/../tmp/photo.jpg""#, "photo.jpg"), (#""C:\Users\jo\photo.jpg""#, "photo.jpg"), (#""a/b/""#, "b"),
      (#""/""#, nil), (#""\\/""#, nil), (#""..""#, ".."), (#""a\"b.jpg""#, "a\"b.jpg"), (#""a\\b.jpg""#, "b.jpg"),
      (#""a"b".jpg""#, "a\"b\".jpg"), (#""a;b.jpg""#, "a;b.jpg"), ("\"日本ü.jpg\"", "日本ü.jpg"),
      (#""a%20b.jpg""#, "a b.jpg"), (#""100%.jpg""#, "100%.jpg"), (#""100%-%20.jpg""#, "100%-%20.jpg"),
      (#""a%2Fb.jpg""#, "b.jpg"), (#""<b>&.jpg""#, "<b>&.jpg"), ("photo.jpg", "photo.jpg"),
      (#""plain.jpg"; filename*=UTF-8''na%C3%AFve.jpg"#, "plain.jpg"),
      ("\"" + String(repeating: "x", count: 255) + "\"", String(repeating: "x", count: 255)),
    ])
  func `File names, as recorded from the original`(parameter: String, filename: String?) throws {
    #expect(try PartHead(imageHead(parameter)) == PartHead(name: "image", kind: .file(filename: filename)))
  }

  @Test(
    arguments: [
      (#""a+b.jpg""#, "a+b.jpg"), (#""C++ %20.jpg""#, "C++  .jpg"), ("\"a\"  ", "a"), (#""a" ; b=c"#, "a"),
      (#""a";"#, "a"), (#""a";;b=c;"#, "a"), (#""a" b=c"#, "a"), (#"a b=c"#, "a"), ("my photo.jpg", "my photo.jpg"),
      ("(1)ü.jpg", "(1)ü.jpg"), (#""a%22b.jpg""#, "a\"b.jpg"), (#""\"a\" b.jpg"; c="d";"#, "\"a\" b.jpg"),
      (#""a" b".jpg""#, "a\" b\".jpg"), (#""foo\""#, "foo"), (#""C:\x\""#, "x"), (#""foo\"; size=3"#, "foo"),
      (#""1-03\"1.jpg""#, "1-03\"1.jpg"),
      (#""a"; b.jpg""#, nil), (#"a"b".jpg"#, nil), (#"C:\a\b"#, "b"),
      (#""a"b=c".jpg""#, "a\"b=c\".jpg"),
      // Browsers escape no backslashes.
      (#""foo\""#, "foo"), (#""foo\"  "#, "foo"), (#""C:\Photos\""#, "Photos"), (#""C:\x\"; size=3"#, "x"),
      (#""foo\";"#, "foo"), (#""foo\" ; size="3"; b=c"#, "foo"), (#""a\"b\""#, "a\"b"), (#""a\\""#, "a"),
      (#""100129-03\"100129.jpg""#, "100129-03\"100129.jpg"), (#""a\"; b.jpg""#, "a\"; b.jpg"),
      (#""a\"; b=c.jpg""#, "a\"; b=c.jpg"), (#""a\"; b=\"c.jpg\"""#, "a\"; b=\"c.jpg\""),
      (#"""; filename*=utf-8'de'%C3%BC.jpg"#, "ü.jpg"), (#""a.jpg"; filename*=nothing"#, "a.jpg"),
      (#""=?utf-8?B?w7wuanBn?="; filename*=utf-8''%C3%BC.jpg"#, "ü.jpg"),
      (#""=?utf-8?Q?=C3=BC?=""#, "=?utf-8?Q?=C3=BC?="),
      (#"""; filename*=ISO-8859-1''%FC+100%25.jpg"#, "ü+100%.jpg"), (#"""; filename*="UTF-8''a b.jpg""#, "a b.jpg"),
      (#"""; filename*=UTF-8''..%2Fa.jpg"#, "a.jpg"), (#""b"; FileName*=UTF-8''a"#, "b"),
    ] as [(String, String?)])
  func `File names of later clients`(parameter: String, filename: String?) throws {
    let head = try? PartHead(imageHead(parameter))
    #expect(head == filename.map { PartHead(name: "image", kind: .file(filename: $0)) })
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
      (
        "Content-Disposition: form-data; name=\"image\"; filename*=UTF-8''na%C3%AFve.jpg\r\n", "image",
        .file(filename: "naïve.jpg")
      ),
      ("Content-Disposition: form-data; name=\"image\"; filename=\r\n", "image", .dropped),
      ("Content-Disposition: form-data; name=\"image\"; filename=\"\"\r\n", "image", .dropped),
      ("Content-Disposition: form-data; name=\"image\"; filename*=UTF-8''\r\n", "image", .dropped),
      (
        "Content-Disposition: form-data; name=\"a\u{b}\u{7f}\"; filename=\"\u{1b}\"\r\n", "a\u{b}\u{7f}",
        .file(filename: "\u{1b}")
      ),
      ("Content-Disposition: form-data; filename=\"foo\\\"; name=\"image\"\r\n", "image", .file(filename: "foo")),
      ("Content-Disposition:form-data;name=\"image\";filename=\"p\"\r\n", "image", .file(filename: "p")),
      ("Content-Disposition: form-data ;\tname = \"image\" ;  filename= p\r\n", "image", .file(filename: "p")),
      ("Content-Disposition: form-data name=image filename=p\r\n", "image", .file(filename: "p")),
      ("Content-Disposition: form-data; name=title\r\n", "title", .field),
      ("Content-Disposition: form-data; name=\"\"\r\n", "", .field),
      ("Content-Disposition: form-data; name=\"a\\\"\\b\"\r\n", "a\"b", .field),
      ("Content-Disposition: form-data;\r\n name=\"title\"\r\n", "title", .field),
      ("Content-Disposition:\r\n\tform-data\r\n ;\r\n name=\"a\";\r\n filename=\"p\"\r\n", "a", .file(filename: "p")),
      ("Content-Disposition: form-data; filename=\"p\"\r\n", nil, .file(filename: "p")),
      ("Content-Disposition: x; filename=\"C:\\a\\\"; name=\"image\"\r\n", "image", .file(filename: "a")),
      ("Content-Disposition: x; name=\"a\\\"; filename=\"p\"\r\n", "a\\", .file(filename: "p")),
      ("Content-Disposition: form-data; name=\"photo[title]\"\r\n", "photo[title]", .field),
      (
        "Content-Disposition: form-data; name=\"image\"; filename=\"x name=1\"\r\n", "image",
        .file(filename: "x name=1")
      ),
      ("Content-Disposition: form-data\r\n", nil, .field), ("Content-Disposition:\r\n", nil, .field),
      ("X-Content-Disposition: x; name=\"a\"; filename=\"p\"\r\n", nil, .field),
      ("X: Content-Disposition: x; name=\"a\"\r\nContent-Disposition: y; name=\"b\"\r\n", "b", .field),
      ("Content-ID:  <id>\r\n", "<id>", .field), ("Content-Disposition: inline\r\nContent-ID: id\r\n", "id", .field),
      ("Content-Type: text/plain\r\n", nil, .field), ("", nil, .field),
    ] as [(String, String?, PartHead.Kind)])
  func `a head names its part, and a file says so`(text: String, name: String?, kind: PartHead.Kind) throws {
    let head = try PartHead(Array(text.utf8)[...])
    #expect(head.name == name)
    #expect(head.kind == kind)
    #expect(head.hasDisposition == text.lowercased().split(separator: "\r\n").contains { $0.hasPrefix("content-disp") })
  }

  @Test(
    arguments: [
      ("Content-Disposition: form-data; name=\"a\"; name=\"b\"\r\n", "\"name\" twice"),
      ("Content-Disposition: form-data; name=a; NAME=a\r\n", "\"NAME\" twice"),
      ("Content-Disposition: x; name=\"a\"\r\ncontent-disposition: x; name=\"b\"\r\n", "Content-Disposition twice"),
      ("Content-Disposition: x; name=\"a\"; filename=\"open\r\n", "cannot be read"),
      ("Content-Disposition: x; \"a\"\r\n", "cannot be read"), ("Content-Disposition: x; name\r\n", "cannot be read"),
      ("Content-Disposition: x; name=\"a\"b\r\n", "cannot be read"),
      ("Content-Disposition: x" + String(repeating: ";a", count: 20) + "\r\n", "cannot be read"),
      ("Content-Disposition: x" + (0...16).map { ";a\($0)=" }.joined() + "\r\n", "more than 16 parameters"),
      ("Content-Disposition: x; name=\"a\"\n", "does not end in CR LF"),
      ("Content-Disposition: x; name=\"a\rb\"\r\n", "does not end in CR LF"),
      ("garbage\r\n", "not a field"), (" X: y\r\n", "not a field"),
    ])
  func `a head that could be understood differently is refused, and says what is wrong`(text: String, reason: String) {
    let error = #expect(throws: ParameterError.self) { try PartHead(Array(text.utf8)[...]) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test(arguments: ["\"%ff.jpg\"", "\"%C3/a\"", "\"a\\%FF\"", "\"\"; filename*=koi8-r''%C1"])
  func `a file name that cannot be read is left to who needs the file`(filename: String) throws {
    let kind = try PartHead(imageHead(filename)).kind
    let isMisnamed = if case .misnamed = kind { true } else { false }
    #expect(isMisnamed)
  }
}
