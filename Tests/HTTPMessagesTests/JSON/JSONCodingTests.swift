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
    let optional: [[String: String]?] = try [#"{"a":"b"}"#, "null"].map { try decode($0) }
    #expect(optional == [["a": "b"], nil])
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

/// Documents of tests, whose mistakes are named.
@Suite struct `Mistakes in JSON` {
  private struct Photo: Codable {
    enum Kind: String, Codable, CaseIterable { case png, gif }

    var title: String
    var kind: Kind?
    var size: Int?
    var isPublic: Bool?
    var parts: [Part]?
  }

  private struct Part: Codable { let bytes: Int }

  private func mistakes(_ json: String) throws -> [String] {
    let (photo, mistakes) = JSONReader.decode(Photo.self, strictly: try JSONReader.read(Array(json.utf8)))
    #expect(photo != nil || !mistakes.isEmpty)
    return mistakes
  }

  @Test func `all are named at once, with their places and with what would be right`() throws {
    #expect(
      try mistakes(
        #"{"kind":"bmp","size":1.5,"isPublic":0,"parts":[{"byte":1},7,{"bytes":2},{"bytes":"x","more":1}],"titel":""}"#)
        == [
          "title is missing.", "kind must be one of png, gif.", "size must be a whole number.",
          "isPublic must be true or false.", "parts[0].bytes is missing.",
          "There is no parts[0].byte here. Possible members: bytes.", "parts[1] must be an object.",
          "parts[3].bytes must be a whole number.", "There is no parts[3].more here. Possible members: bytes.",
          "There is no titel here. Possible members: title, kind, size, isPublic, parts.",
        ])
    #expect(try mistakes("[]") == ["The body must be an object."])
    #expect(try mistakes(#"{"title":"","parts":{}}"#) == ["parts must be a list."])
  }

  @Test func `a valid value has none, and its numbers may be text`() throws {
    #expect(try mistakes(#"{"title":"me","kind":"gif","size":"7","isPublic":"true","parts":[]}"#) == [])
    #expect(try mistakes(#"{"title":"me","kind":null,"size":null}"#) == [])
  }

  @Test func `nil is written as null only if asked for`() throws {
    let photo = Photo(title: "me")
    #expect(String(decoding: try JSONWriter.encode(photo), as: UTF8.self) == #"{"title":"me"}"#)
    #expect(
      String(decoding: try JSONWriter.encode(photo, writesNull: true), as: UTF8.self)
        == #"{"title":"me","kind":null,"size":null,"isPublic":null,"parts":null}"#)
  }
}
