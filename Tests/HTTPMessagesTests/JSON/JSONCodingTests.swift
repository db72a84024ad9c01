import HTTPMessages
import Testing

@Suite struct `Codable values as JSON` {
  private struct Photo: Codable, Equatable {
    enum Kind: String, Codable {
      case png
    }

    var title: String
    var kind = Kind.png
    var bytes: Int64 = .max
    var ratio = 1.5
    var isPublic = true
    var note: String?
    var counts: [String: UInt8] = ["x": 255]
  }

  private enum Command: Codable, Equatable {
    case list(of: String?, limit: Int)
    case stop
  }

  private func decode<Value: Decodable>(_ json: String, as _: Value.Type = Value.self) throws -> Value {
    try JSONReader.decode(from: Array(json.utf8))
  }

  @Test func `a value is written with its members in their order, and read again`() throws {
    let photo = Photo(title: "\"<\u{e9}\n")
    let json = try JSONWriter.encode(photo)
    #expect(
      String(decoding: json, as: UTF8.self) == #"""
        {"title":"\"\u003cé\n","kind":"png","bytes":9223372036854775807,"ratio":1.5,"isPublic":true,"counts":{"x":255}}
        """#)
    #expect(try JSONReader.decode(Photo.self, from: json) == photo)
    #expect(try JSONWriter.encode([["a"], []]) == Array(#"[["a"],[]]"#.utf8))
  }

  @Test func `a case of an enum is a member, and its values are members of that`() throws {
    for (command, json) in [
      (.list(of: "a", limit: 3), #"{"list":{"of":"a","limit":3}}"#),
      (.list(of: nil, limit: 0), #"{"list":{"limit":0}}"#), (.stop, #"{"stop":{}}"#),
    ] as [(Command, String)] {
      #expect(String(decoding: try JSONWriter.encode(command), as: UTF8.self) == json)
      #expect(try decode(json) == command)
    }
    #expect(try decode(#"{"list":{"limit":1,"of":null,"else":[]}}"#) == Command.list(of: nil, limit: 1))
  }

  @Test(arguments: [
    "{}", "[]", "null", #""stop""#, #"{"list":{}}"#, #"{"list":{"limit":"3"}}"#, #"{"list":{"limit":1.5}}"#,
    #"{"list":{"limit":99999999999999999999}}"#, #"{"list":{"limit":1,"of":7}}"#, #"{"stop":{},"list":{"limit":1}}"#,
    #"{"unknown":{}}"#, #"{"list":[]}"#, #"{"list":{"limit":[1]}}"#,
  ])
  func `what has another form is refused`(json: String) {
    #expect(throws: DecodingError.self) { _ = try decode(json, as: Command.self) }
  }
}
