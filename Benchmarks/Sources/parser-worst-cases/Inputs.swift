// The inputs that the grammars of the parsers suggest.
extension Client {
  var inputs: [Input] { names + values + texts + multiparts + chunks + fields + targets }

  private static let reset = "/api/reset_password"
  private static let signin = "/api/signin"
  private static let signup = "/api/signup"
  private static let multipart = "multipart/form-data; boundary=B"
  private static let part = "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"

  /// Names of form parameters.
  private var names: [Input] {
    [
      body("a name of many lines", "/up", Self.form, "a", "\n[]", "=1"),
      body("a name of many lines with members", "/up", Self.form, "a", "\n[]b", "=1"),
      body("a name of many open members", "/up", Self.form, "a", "\n[][b", "=1"),
      body("a name of brackets", "/up", Self.form, "a", "[", "=1"),
      body("a name of combining marks", "/up", Self.form, "e", "\u{327}\u{301}", "=1"),
      body("a name of escapes", "/up", Self.form, "", "%61", "=1"),
      Input(name: "32 levels, the last one long", place: .body) { size in
        let levels = (0..<31).map { _ in "[b]" }.joined()
        let name = Array("a\(levels)[".utf8) + [UInt8](repeating: UInt8(ascii: "c"), count: size)
        return post("/up", type: Self.form, name + Array("]=1".utf8))
      },
      Input(name: "31 levels of elements, the last one long", place: .body) { size in
        let levels = (0..<30).map { _ in "[]b" }.joined()
        let name = Array("a\(levels)[]".utf8) + [UInt8](repeating: UInt8(ascii: "c"), count: size)
        return post("/up", type: Self.form, name + Array("=1".utf8))
      },
      body("empty pairs", "/up", Self.form, "", "&"),
      body("equal pairs", "/up", Self.form, "", "a=&"),
      numbered("1,024 pairs", "/up", Self.form, "", "p#=&", "", count: 1_024, padding: "&"),
      numbered("1,024 elements", "/up", Self.form, "", "a[]=#&", "", count: 1_024, padding: "&"),
      numbered("1,024 members of elements", "/up", Self.form, "", "a[][k#]=&", "", count: 1_024, padding: "&"),
      numbered("1,024 members", "/up", Self.form, "", "a[k#]=&", "", count: 1_024, padding: "&"),
      numbered(
        "4,096 levels", "/up", Self.form, "", "p#" + (0..<31).map { _ in "[b]" }.joined() + "=&", "", count: 127,
        padding: "&"),
    ]
  }

  /// Values of JSON.
  private var values: [Input] {
    [
      body("JSON of lists", Self.signin, Self.json, "[", "[],", "[]]"),
      body("JSON of deep lists", Self.signin, Self.json, "[", deepList + ",", "[]]"),
      body("JSON of white space", Self.signin, Self.json, "{", " \n", "}"),
      numbered(
        "4,000 members of JSON", Self.signin, Self.json, "{", "\"k#\":0,", "\"\":0}", count: 4_000, padding: " "),
      body("JSON of escapes", Self.signin, Self.json, "{\"a\":\"", "\\n", "\"}"),
      body("JSON of code points", Self.signin, Self.json, "{\"a\":\"", "\\u00e9", "\"}"),
      body("JSON of surrogates", Self.signin, Self.json, "{\"a\":\"", "\\ud83d\\ude00", "\"}"),
      body("JSON with a name of combining marks", Self.signin, Self.json, "{\"e", "\u{327}\u{301}", "\":0}"),
      body("a number", Self.signin, Self.json, "{\"a\":", "1", "}"),
      body("a password of deep lists", Self.reset, Self.json, passwords("["), deepList + ",", "[]]}"),
      body("a password of texts", Self.reset, Self.json, passwords("["), "\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\",", "[]]}"),
      body("a long password", Self.reset, Self.json, passwords("\""), "A", "\"}"),
    ]
  }

  private var deepList: String {
    (0..<95).map { _ in "[" }.joined() + (0..<95).map { _ in "]" }.joined()
  }

  private func passwords(_ start: String) -> String { "{\"new_password\":\"\",\"old_password\":" + start }

  /// Texts of parameters: as long as they may be, the rest of the body is one that no endpoint knows.
  private var texts: [Input] {
    func account(_ name: String, _ text: String) -> Input {
      Input(name: name, place: .body) { size in
        let longest = 64 * 1024 / text.utf8.count
        let value = (0..<min(size / text.utf8.count, longest)).map { _ in text }.joined()
        let body = Array("{\"full_name\":\"\(value)\",\"password\":\"x\",\"email\":\"\(value)\",\"other\":\"".utf8)
        let rest = [UInt8](repeating: UInt8(ascii: "x"), count: max(0, size - body.count - 2))
        return post(Self.signup, type: Self.json, body + rest + Array("\"}".utf8))
      }
    }
    return [
      account("a sign-up of spaces", " "), account("a sign-up of no-break spaces", "\u{a0}"),
      account("a sign-up of words", "a "), account("a sign-up of dots", "."), account("a sign-up of @", "@"),
      account("a sign-up of combining marks", "\u{327}\u{301}"), account("a sign-up of flags", "\u{1f1e6}"),
      Input(name: "a log-in of combining marks", place: .body) { size in
        let marks = (0..<min(size, 64 * 1024) / 4).map { _ in "\u{327}\u{301}" }.joined()
        return post("/users/login", type: Self.json, Array("{\"password\":\"x\",\"name\":\"\(marks)\"}".utf8))
      },
      body("a _method of ligatures", "/up", Self.form, "_method=", "ﬃ"),
    ]
  }

  private var multiparts: [Input] {
    let plain = "Content-Disposition: form-data; name=\"a\""
    return [
      body("a preamble of lines", "/up", Self.multipart, "", "\n"),
      body("a part of near boundaries", "/up", Self.multipart, Self.part, "\r\n--C", "\r\n--B--\r\n"),
      body("a part of open boundaries", "/up", Self.multipart, Self.part, "--B", "\r\n--B--\r\n"),
      body("a part of line ends", "/up", Self.multipart, Self.part, "\r\n", "\r\n--B--\r\n"),
      body("a file of hyphens", "/api/upload_photo", Self.multipart, filePart, "-", "\r\n--B--\r\n"),
      body(
        "a file of long near boundaries", "/api/upload_photo",
        "multipart/form-data; boundary=" + (0..<70).map { _ in "x" }.joined(), filePart,
        "\r\n--" + (0..<69).map { _ in "x" }.joined(), ""),
      body("tiny parts", "/up", Self.multipart, "--B\r\n", "a: b\r\n\r\n\r\n--B\r\n"),
      parts("part heads of disposition", "Content-Disposition:", "Content-Disposition: "),
      parts("part heads of names", "Content-Disposition: x", " name"),
      parts("part heads of spaces", "Content-Disposition: x", " "),
      parts("part heads of file names", "Content-Disposition: x", "; filename=\""),
      parts("part heads of quotes", "Content-Disposition: x; filename=\"", "\" ; "),
      parts("part heads of semicolons", plain, "; "),
      parts("part heads of escapes", "\(plain); filename=\"", "%41"),
      parts("part heads of backslashes", "\(plain); filename=\"", "\\\\"),
      parts("part heads of folders", "\(plain); filename=\"", "/"),
      parts("part heads of lines", plain, "\nContent-Disposition: x"),
      parts("part heads of line feeds", plain, "\n"),
    ]
  }

  private var filePart: String { "--B\r\nContent-Disposition: form-data; name=\"image\"; filename=\"a\"\r\n\r\n" }

  /// As many parts as there may be, each with the longest head.
  private func parts(_ name: String, _ start: String, _ pattern: String) -> Input {
    Input(name: name, place: .body) { size in
      var head = Array(start.utf8)
      while head.count + pattern.utf8.count <= min(8_000, size / 32) { head += pattern.utf8 }
      var body = Array("--B\r\n".utf8)
      for _ in 0..<31 { body += head + Array("\r\n\r\n\r\n--B\r\n".utf8) }
      body += Array("\(Self.part.dropFirst(5))".utf8)
      return post("/up", type: Self.multipart, body + Array("\r\n--B--\r\n".utf8))
    }
  }

  private var chunks: [Input] {
    func chunked(_ name: String, _ chunk: String) -> Input {
      Input(name: name, place: .body) { size in
        let count = size / chunk.utf8.count
        var bytes = Array(
          """
          POST \(Self.signin) HTTP/1.1\r
          Host: localhost\r
          Authorization: Basic \(basic)\r
          Content-Type: \(Self.form)\r
          Transfer-Encoding: chunked\r
          \r\n
          """.utf8)
        bytes.reserveCapacity(size + bytes.count)
        for _ in 0..<count { bytes += chunk.utf8 }
        return bytes + Array("0\r\n\r\n".utf8)
      }
    }
    return [
      chunked("chunks of one byte", "1\r\n&\r\n"),
      chunked("chunks with extensions", "1;" + (0..<20).map { _ in "a=b;" }.joined() + "c\r\n&\r\n"),
    ]
  }

  private var fields: [Input] {
    let photo = "/photos/\(self.photo)"
    return [
      field("Connection of commas", "Connection: ", ","),
      field("Connection of options", "Connection: ", "a,"),
      field("Accept of json", path: "/", "Accept: ", "jso"),
      field("Accept of combining marks", path: "/", "Accept: j", "\u{301}"),
      field("Origin of combining marks", path: "/", "Origin: http://a", "\u{301}\u{316}"),
      field("Accept-Language", "Accept-Language: ", "a;q=0.1,"),
      field("Cookie of pairs", path: "/users", "Cookie: ", "a=b; "),
      field("Cookie of semicolons", path: "/users", "Cookie: ", ";"),
      field("Cookie of spaces", path: "/users", "Cookie: ", " \t", ";auth_tkt=a"),
      field("Cookie of sessions", path: "/users", "Cookie: ", "auth_tkt=a;"),
      field("Cookie of one session", path: "/users", "Cookie: auth_tkt=", "a"),
      field("Authorization of quotes", path: "/api/get_photos", "Authorization: Token \"", "\" "),
      field("Authorization of tabs", path: "/api/get_photos", "Authorization: Token \"", "\t\""),
      field("Authorization of base64", path: "/api/get_token", "Authorization: Basic ", "QUJD"),
      field("Content-Type of boundaries", "Content-Type: multipart/form-data;", "boundary=;"),
      field("Content-Type of spaces", "Content-Type: ", " \t"),
      field("X-HTTP-Method-Override", "X-HTTP-Method-Override: ", "ﬃ"),
      field("X-Request-Id of spaces", "X-Request-Id: a", " a"),
      field("X-Forwarded-For", path: "/api/get_token", "X-Forwarded-For: ", "1.2.3.4,"),
      field("X-Forwarded-For of commas", path: "/api/get_token", "X-Forwarded-For: ", ","),
      field("Range of hyphens", path: photo, "Range: bytes=", "-"),
      field("Range of ranges", path: photo, "Range: bytes=", "0-0,"),
      field("Range of digits", path: photo, "Range: bytes=", "1"),
      field("If-None-Match of tags", path: photo, "If-None-Match: ", "\"a\","),
      field("If-None-Match of commas", path: photo, "If-None-Match: ", ","),
      field("If-None-Match of spaces", path: photo, "If-None-Match: ", " ,\t"),
      field("If-None-Match of get_photos", path: "/api/get_photos", "If-None-Match: ", "W/\"a\" , "),
      field("If-Modified-Since of spaces", path: photo, "If-Modified-Since: Sun", " "),
      field("If-Range of combining marks", path: photo, "Range: bytes=0-1\r\nIf-Range: e", "\u{301}"),
      field("a hundred fields", "A: b\r\n" + (0..<97).map { "A\($0): b\r\n" }.joined() + "B: ", "a"),
    ]
  }

  private var targets: [Input] {
    [
      target("a path of slashes", "/", "/"), target("a path of dots", "/up", "."),
      target("a path of escapes", "/photos/", "%41"), target("a query of pairs", "/up?", "&"),
      target("a query of escapes", "/api/get_photos?a=", "%41"),
      target("a query of levels", "/api/get_photos?", "a[b][b][b][b][b][b][b][b][b][b][b][b][b]=&"),
      target("a query of elements", "/api/get_photos?", "a[][b]=&"),
    ]
  }
}
