import Cryptography

/// Inputs that put many patterns into the same place of a request. The costliest of them is measured.
struct Family {
  let name: String
  let inputs: [Input]
}

/// A piece of text of which copies fill a place. A parser, a comparison or the explanation of a refusal may find it costly.
struct Pattern {
  let name: String
  let bytes: [UInt8]

  init(_ name: String, _ bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
  }

  init(_ text: String) { self.init(text.debugDescription, Array(text.utf8)) }

  static let all: [Pattern] =
    [
      "a", "A", "1", "é", "\u{301}", "\u{327}\u{301}", "\u{1f468}\u{200d}", "\u{ac00}", ";", ",", "=", ":", "/", ".",
      "-",
      "+", "\"", "\\", "[", "%", "%41", "%ff", "\"; ", "a=b;", "a,", "\"a\",", "W/\"a\",", "a/b;q=0.1,", "1.2.3.4,",
      "127.0.0.1,", "for=127.0.0.1,", "0-1,", " ", " \t",
    ].map { Pattern($0) } + [Pattern("a byte that is no UTF-8", [0xff]), Pattern("half a letter", [0xe2, 0x28])]

  /// Those that a request target can have.
  static let ofTargets = all.filter { pattern in
    !pattern.bytes.contains { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
  }

  /// Those that a text of JSON can have without escapes.
  static let ofTexts = all.filter { pattern in
    !pattern.bytes.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }
  }
}

// Every field, name and value that the server looks at, filled with each pattern.
extension Client {
  var families: [Family] { fieldFamilies + targetFamilies + textFamilies + nameFamilies + partFamilies }

  /// Of a field that is looked at, with the path whose endpoint does so.
  private var fieldFamilies: [Family] {
    let token = "Authorization: Token token=\(self.token)\r\n"
    let photo = "/photos/\(self.photo)"
    let places: [(path: String, start: String)] = [
      ("/api/get_photos", "Authorization: "), ("/api/get_photos", "Authorization: Token token="),
      ("/api/get_photos", "Authorization: Bearer "), ("/api/get_token", "Authorization: Basic "),
      ("/notes.json?token=token", "Authorization: Basic "), ("/users", "Cookie: "), ("/users", "Cookie: auth_tkt="),
      ("/owner", "Cookie: "), ("/api/get_token", "X-Forwarded-For: "), ("/api/get_token", "Forwarded: "),
      ("/api/get_token", "Forwarded: for="), ("/owner", "X-Forwarded-For: 127.0.0.1, "), ("/", "Accept: "),
      ("/nothing", "Accept: "), ("/", "Accept-Encoding: "), ("/", "Accept-Language: "), ("/", "If-None-Match: "),
      ("/api/get_photos", token + "If-None-Match: "), ("/api/get_photos", token + "If-Modified-Since: "),
      (photo, "Range: "), (photo, "Range: bytes="), (photo, "If-None-Match: "), (photo, "If-Modified-Since: "),
      (photo, "Range: bytes=0-1\r\nIf-Range: "), (photo, "If-Match: "), (photo, "If-Unmodified-Since: "),
      ("/", "Origin: "), ("/api/get_photos", token + "Origin: http://"), ("/owner", "Origin: "),
      ("/owner", "Sec-Fetch-Site: "), ("/users", "Origin: http://"), ("/api/get_photos", token + "X-Forwarded-Host: "),
      ("/api/get_photos", token + "X-Forwarded-Proto: "), ("/up", "X-Request-Id: "), ("/up", "Traceparent: "),
      ("/up", "Connection: "), ("/up", "Expect: "), ("/up", "Transfer-Encoding: "), ("/up", "Content-Type: "),
      ("/up", "X-Http-Method-Override: "), ("/up", "Content-Encoding: "), ("/up", "User-Agent: "),
    ]
    return places.map { path, start in
      let name = start.replacingToken(self.token)
      return family("\(name)at \(path.hasPrefix("/photos") ? "a photo" : path)", .field, Pattern.all) { pattern, size in
        get(Array(path.utf8), filled(start, pattern.bytes, "\r\n", size))
      }
    } + [
      family("Base64 of a name and a password", .field, Pattern.all) { pattern, size in
        let pair = filled(":", pattern.bytes, "", size / 4 * 3)
        return get(
          Array("/notes.json?token=token".utf8), Array("Authorization: Basic \(Base64.encode(pair))\r\n".utf8))
      },
      family("Host", .field, Pattern.ofTargets) { pattern, size in
        Array("GET /api/get_photos HTTP/1.1\r\n\(token)".utf8) + filled("Host: ", pattern.bytes, "\r\n\r\n", size)
      },
    ]
  }

  private var targetFamilies: [Family] {
    let paths = ["/", "/api/", "/api/signi", "/photos/", "/notes/", "/users/", "/nothing/"].map { start in
      family("the path \(start)", .target, Pattern.ofTargets) { pattern, size in
        get(filled(start, pattern.bytes, "", size), [])
      }
    }
    let queries = ["/users/register?", "/users/register?name=", "/users/register?password=a&name="].map { start in
      family("the query \(start)", .target, Pattern.ofTargets) { pattern, size in
        post(filled(start, pattern.bytes, "", size), type: Client.form, [UInt8(ascii: "&")])
      }
    }
    return paths + queries
  }

  /// A value of each parameter, in JSON and in a form, as long as a text may be and short enough for the event loop.
  private var textFamilies: [Family] {
    let parameters: [(path: String, name: String, other: String)] = [
      ("/api/signup", "full_name", "email"), ("/api/signup", "email", "password"), ("/api/signup", "password", "email"),
      ("/api/signin", "email", "password"), ("/api/signin", "password", "email"),
      ("/api/reset_password", "old_password", "new_password"), ("/api/reset_password", "new_password", "old_password"),
      ("/users/login", "name", "password"), ("/users/login", "password", "name"),
    ]
    return parameters.flatMap { path, name, other in
      [
        family("\(name) in JSON at \(path)", .shortBody, Pattern.ofTexts) { pattern, size in
          post(path, type: Client.json, filled("{\"\(other)\":\"a\",\"\(name)\":\"", pattern.bytes, "\"}", size))
        },
        family("\(name) in a form at \(path)", .shortBody, Pattern.all) { pattern, size in
          post(path, type: Client.form, filled("\(other)=a&\(name)=", pattern.bytes, "", size))
        },
      ]
    }
  }

  /// Names that no endpoint knows, as many as there may be: the refusal says which they are.
  private var nameFamilies: [Family] {
    let patterns = Pattern.ofTexts + [Pattern("28 marks", Array(String(repeating: "\u{345}\u{334}", count: 14).utf8))]
    return ["/users/register", "/api/signin", "/api/upload_photo"].flatMap { path in
      [Input.Place.shortBody, .body].flatMap { place in
        [
          family("names in JSON at \(path)\(place == .body ? ", many" : "")", place, patterns) { pattern, size in
            post(
              path, type: Client.json,
              Array("{".utf8) + names(pattern, size, "\"", "\":1,", max: 4_000) + Array("\"\":1}".utf8))
          },
          family("names in a form at \(path)\(place == .body ? ", many" : "")", place, patterns) { pattern, size in
            post(path, type: Client.form, names(pattern, size, "", "=1&", max: 1_000))
          },
          family("64 names in JSON at \(path)\(place == .body ? ", long" : "")", place, patterns) { pattern, size in
            let name = filled("", pattern.bytes, "", size / 64 - 10)
            let members = (0..<64).flatMap { Array("\"".utf8) + name + Array("\($0)\":1,".utf8) }
            return post(path, type: Client.json, Array("{".utf8) + members + Array("\"\":1}".utf8))
          },
        ]
      }
    }
  }

  /// Different names that end in a pattern.
  private func names(_ pattern: Pattern, _ size: Int, _ start: String, _ end: String, max: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in 0..<max where bytes.count + pattern.bytes.count + start.utf8.count + end.utf8.count + 8 < size {
      bytes += Array("\(start)\(number)".utf8) + pattern.bytes + Array(end.utf8)
    }
    return bytes
  }

  /// The fields of parts' heads, each as long as it may be.
  private var partFamilies: [Family] {
    let plain = "Content-Disposition: form-data; name=\"a\""
    let places: [(start: String, end: String)] = [
      ("Content-Disposition: form-data; name=\"", "\""), ("\(plain); filename=\"", "\""),
      ("\(plain); filename*=UTF-8''", ""), ("\(plain); ", ""), ("\(plain)\r\nContent-Type: ", ""), ("X: ", ""),
      ("Content-Id: ", ""), ("", ": a"),
    ]
    return places.flatMap { start, end in
      ["/api/upload_photo", "/users/register"].flatMap { path in
        [1, 31].map { count in
          let name = "\(count == 1 ? "a part's head" : "parts' heads") of \(start.debugDescription) at \(path)"
          return family(name, .part, Pattern.all) { pattern, size in
            let part = Array("--B\r\n".utf8) + filled(start, pattern.bytes, "\(end)\r\n\r\nx\r\n", size)
            let parts = (0..<count).flatMap { _ in part }
            return post(path, type: "multipart/form-data; boundary=B", parts + Array("--B--\r\n".utf8))
          }
        }
      }
    }
  }

  private func family(
    _ name: String, _ place: Input.Place, _ patterns: [Pattern], _ request: @escaping (Pattern, _ size: Int) -> [UInt8]
  ) -> Family {
    Family(
      name: name,
      inputs: patterns.map { pattern in
        Input(name: "\(name), \(pattern.name)", place: place) { request(pattern, $0) }
      })
  }
}

extension String {
  /// The names of the fields in this text, without the token.
  fileprivate func replacingToken(_ token: String) -> String {
    split(separator: "\r\n").last.map { "\($0)".split(separator: token).joined(separator: "TOKEN") + " " } ?? self
  }
}
