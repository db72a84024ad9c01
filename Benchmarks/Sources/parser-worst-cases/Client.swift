/// Makes the requests that put an input where it costs most: with the credentials that let it through to its parser.
struct Client {
  let basic: String
  let token: String
  let photo: String

  static let form = "application/x-www-form-urlencoded"
  static let json = "application/json"

  func post(_ path: String, type: String, _ body: [UInt8]) -> [UInt8] { post(Array(path.utf8), type: type, body) }

  func post(_ target: [UInt8], type: String, _ body: [UInt8]) -> [UInt8] {
    let path = String(decoding: target.prefix(20), as: UTF8.self)
    let credentials = path.hasSuffix("signin") || path.hasSuffix("signup") ? "Basic \(basic)" : "Token token=\(token)"
    return Array("POST ".utf8) + target
      + Array(
        """
         HTTP/1.1\r
        Host: localhost\r
        Authorization: \(credentials)\r
        Content-Type: \(type)\r
        Content-Length: \(body.count)\r
        \r\n
        """.utf8) + body
  }

  func get(_ target: [UInt8], _ fields: [UInt8]) -> [UInt8] {
    Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: localhost\r\n".utf8) + fields + Array("\r\n".utf8)
  }

  /// A body of copies of a pattern, between two others.
  func body(
    _ name: String, _ path: String, _ type: String, _ start: String = "", _ pattern: String, _ end: String = ""
  ) -> Input {
    Input(name: name, place: .body) { size in
      post(path, type: type, filled(start, pattern, end, size))
    }
  }

  /// A body of numbered copies of a pattern in which `#` is the number.
  func numbered(
    _ name: String, _ path: String, _ type: String, _ start: String, _ pattern: String, _ end: String,
    count: Int, padding: String
  ) -> Input {
    Input(name: name, place: .body) { size in
      var bytes = Array(start.utf8)
      for number in 0..<count where bytes.count < size {
        for byte in pattern.utf8 {
          if byte == UInt8(ascii: "#") { bytes += "\(number)".utf8 } else { bytes.append(byte) }
        }
      }
      return post(path, type: type, filled(bytes, Array(padding.utf8), Array(end.utf8), size))
    }
  }

  /// One field whose value consists of copies of a pattern.
  func field(_ name: String, path: String = "/up", _ start: String, _ pattern: String, _ end: String = "") -> Input {
    Input(name: name, place: .field) { size in
      let credentials = path.hasPrefix("/api") ? "Authorization: Token token=\(token)\r\n" : ""
      return get(Array(path.utf8), Array(credentials.utf8) + filled(start, pattern, end + "\r\n", size))
    }
  }

  func target(_ name: String, _ start: String, _ pattern: String) -> Input {
    Input(name: name, place: .target) { size in
      get(filled(start, pattern, "", size), Array("Authorization: Token token=\(token)\r\n".utf8))
    }
  }

  func filled(_ start: String, _ pattern: [UInt8], _ end: String, _ size: Int) -> [UInt8] {
    filled(Array(start.utf8), pattern, Array(end.utf8), size)
  }

  private func filled(_ start: String, _ pattern: String, _ end: String, _ size: Int) -> [UInt8] {
    filled(Array(start.utf8), Array(pattern.utf8), Array(end.utf8), size)
  }

  private func filled(_ start: [UInt8], _ pattern: [UInt8], _ end: [UInt8], _ size: Int) -> [UInt8] {
    var bytes = start
    bytes.reserveCapacity(size + pattern.count)
    if !pattern.isEmpty { while bytes.count + end.count + pattern.count <= size { bytes += pattern } }
    return bytes + end
  }
}
