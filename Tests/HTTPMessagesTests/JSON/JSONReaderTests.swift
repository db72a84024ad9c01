import Foundation
import HTTPMessages
import TestSupport
import Testing

@Suite struct JSONReaderTests {
  @Test(
    arguments: [
      ("null", .null), ("true", .bool(true)), (" false\r\n\t", .bool(false)),
      ("0", .number("0")), ("-0.50e+10", .number("-0.50e+10")), ("1E-2", .number("1E-2")),
      ("1000000000000000000000000000000", .number("1000000000000000000000000000000")),
      ("\"\"", .string("")), (#""a\"\\\/\b\f\n\r\tb""#, .string("a\"\\/\u{8}\u{C}\n\r\tb")),
      (#""\u00fc\u65E5\uD83D\uDE00\u0000""#, .string("ü日😀\0")), ("\"ü日😀\u{7F}\"", .string("ü日😀\u{7F}")),
      ("[]", .array([])), ("[ ]", .array([])), ("[1, \"a\" ,null]", .array([.number("1"), .string("a"), .null])),
      ("{}", .object([:])), ("{ }", .object([:])),
      ("{\"a\" : {\"b\":[{}]} , \"c\":1}", .object(["a": .object(["b": .array([.object([:])])]), "c": .number("1")])),
      ("{\"a\":1,\"a\":2}", .object(["a": .number("2")])),
    ] as [(String, ParameterValue)])
  func `a value is read as RFC 8259 defines it`(json: String, expected: ParameterValue) throws {
    #expect(try JSONReader.read(Array(json.utf8)) == expected)
  }

  @Test(
    arguments: [
      ("", 0), (" ", 1), ("{bad", 1), ("{\"a\"}", 4), ("{\"a\":}", 5), ("{\"a\":1,}", 7), ("{,}", 1), ("[1,]", 3),
      ("[1 2]", 3), ("[1", 2), ("{\"a\":1", 6), ("1 2", 2), ("{}x", 2), ("NaN", 0), ("Infinity", 0), ("-Infinity", 1),
      ("+1", 0), ("01", 1), ("1.", 2), (".5", 0), ("1e", 2), ("-", 1), ("0x10", 1), ("tru", 0), ("nul", 0), ("True", 0),
      ("'a'", 0), ("\"a", 2), ("\"a\nb\"", 2), ("\"a\u{0}b\"", 2), (#""\x""#, 2), (#""\u12g4""#, 5), (#""\"#, 2),
      (#""\ud800""#, 7), (#""\ud800a""#, 7), (#""\udc00""#, 7), (#""\ud800\u0041""#, 13), ("/* c */1", 0),
      ("// c\n1", 0), ("{/* c */\"a\":1}", 1), ("full_name=Jo", 0), ("\u{FEFF}1", 0),
    ])
  func `what RFC 8259 forbids is refused, with its place`(json: String, offset: Int) {
    let error = #expect(throws: ParameterError.self) { try JSONReader.read(Array(json.utf8)) }
    #expect(error?.message.contains("at byte \(offset), expected ") == true, "\(error?.message ?? "")")
  }

  @Test func `more values than anybody sends are refused before they fill the memory`() throws {
    let values = [UInt8](repeating: UInt8(ascii: "0"), count: JSONReader.maxValues)
    // The list is a value, too.
    let many = [UInt8(ascii: "[")] + values.flatMap { [$0, UInt8(ascii: ",")] }.dropLast() + [UInt8(ascii: "]")]
    let error = #expect(throws: ParameterError.self) { try JSONReader.read(many) }
    #expect(error?.message.contains("at most \(JSONReader.maxValues) values") == true)
  }

  @Test(
    arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
  func `text that is not UTF-8 is refused`(bytes: [UInt8]) {
    let error = #expect(throws: ParameterError.self) { try JSONReader.read([0x22] + bytes + [0x22]) }
    #expect(error?.message.contains("the text at byte 0 is not valid UTF-8") == true)
  }

  @Test(arguments: [String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32BigEndian])
  func `JSON in UTF-16 is told so`(encoding: String.Encoding) throws {
    let bytes = [UInt8](try #require("{}".data(using: encoding)))
    let error = #expect(throws: ParameterError.self) { try JSONReader.read(bytes) }
    #expect(error?.message.contains("expected a JSON value in UTF-8, which is not UTF-16") == true)
  }

  @Test(
    arguments: [
      (#"{"full_name":"Jo "JJ" Smith","email":"a@b.c"}"#, 18, #"expected "," or "}" after a member of an object"#),
      (#"{"full_name":"Jo"","email":"a@b.c"}"#, 17, #"expected "," or "}" after a member of an object"#),
      (#"{"full_name":"Jo", "J" Smith","email":"a@b.c"}"#, 23, #"expected ":" after a member name"#),
      (#"{"full_name":"Jo\Smith"}"#, 17, "after a backslash"),
    ])
  func `a quote that a client put into its JSON unescaped is explained`(json: String, offset: Int, expected: String) {
    let error = #expect(throws: ParameterError.self) { try JSONReader.read(Array(json.utf8)) }
    let message = error?.message ?? ""
    #expect(message.contains("at byte \(offset), "), "\(message)")
    #expect(message.contains(expected), "\(message)")
    #expect(message.contains("If a name or another text contains a quotation mark"), "\(message)")
  }

  @Test(
    arguments: [
      (#"{"email": a@example.com}"#, #"a text without quotation marks begins at byte 10; JSON has double ones (")"#),
      (#"{"n": 'Jo'}"#, #"a single quotation mark stands at byte 6; JSON has double ones (")"#),
      ("{'n': 1}", #"a single quotation mark stands at byte 1; JSON has double ones (")"#),
      (#"{"n": /* 1 */ 1}"#, "a comment begins at byte 6; JSON has none"),
      ("{ // n\n}", "a comment begins at byte 2; JSON has none"),
      (#"{"n": True}"#, "True stands at byte 6; JSON has true, false and null"),
      (#"{"n": undefined}"#, "undefined stands at byte 6; JSON has true, false and null"),
      (
        #"{"n":"Jo"#, "the body ends at byte 8, before its JSON does; if more was sent, Content-Length is too small"
      ),
      (#"{"n":"Jo", J"}"#, nil),
    ] as [(String, String?)])
  func `what other languages write is named`(json: String, detail: String?) {
    let error = #expect(throws: ParameterError.self) { try JSONReader.parameters(fromJSONBody: Array(json.utf8)) }
    #expect(error?.detail == detail)
  }

  @Test(arguments: ["%7B%22email%22%3A1%7D", "%7b%7d", "%22a%22"])
  func `percent-encoded JSON is named`(body: String) {
    let error = #expect(throws: ParameterError.self) { try JSONReader.parameters(fromJSONBody: Array(body.utf8)) }
    #expect(error?.detail == "the body looks like percent-encoded JSON; its Content-Type is JSON's")
  }

  @Test func `100 levels and numbers of 1,024 characters, no more`() throws {
    func nested(_ depth: Int) -> [UInt8] {
      Array((String(repeating: "[", count: depth) + String(repeating: "]", count: depth)).utf8)
    }
    #expect(try JSONReader.read(nested(100)) != .null)
    #expect(throws: ParameterError.self) { try JSONReader.read(nested(101)) }
    #expect(throws: ParameterError.self) { try JSONReader.read(Array(repeating: UInt8(ascii: "["), count: 1 << 20)) }
    let objects = Array(String(repeating: "{\"a\":", count: 101).utf8)
    #expect(throws: ParameterError.self) { try JSONReader.read(objects) }

    let digits = String(repeating: "1", count: 1_024)
    #expect(try JSONReader.read(Array(digits.utf8)) == .number(digits))
    #expect(throws: ParameterError.self) { try JSONReader.read(Array((digits + "1").utf8)) }
  }

  @Test(
    arguments: [
      ("", [:]), ("{\"a\":1}", ["a": .number("1")]), ("[1]", ["_json": .array([.number("1")])]),
      ("null", ["_json": .null]), ("\"a\"", ["_json": .string("a")]),
    ] as [(String, [String: ParameterValue])])
  func `the parameters of a body`(json: String, expected: [String: ParameterValue]) throws {
    #expect(try JSONReader.parameters(fromJSONBody: Array(json.utf8)) == expected)
  }

  @Test func `what Foundation encodes is read back equal`() throws {
    var generator = SplitMix64(seed: 3)
    for _ in 0..<10_000 {
      let scalars = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
        Unicode.Scalar(
          UInt32.random(in: 0...([0x7F, 0xFFFF, 0x10FFFF].randomElement(using: &generator) ?? 0x7F), using: &generator))
      }
      let text = String(String.UnicodeScalarView(scalars))
      let json = try JSONSerialization.data(withJSONObject: ["k": [text]])
      guard case .object(let members) = try JSONReader.read(Array(json)), case .array(let elements)? = members["k"],
        case .string(let read)? = elements.first
      else {
        Issue.record("\(json) is not read as it was written")
        continue
      }
      #expect(Array(read.utf8) == Array(text.utf8))
    }
  }

  @Test func `no bytes crash it, and what it reads Foundation reads too`() {
    var generator = SplitMix64(seed: 4)
    let alphabet = Array(#"{}[]:,"\u0d8ec1-+.tfnrue 2"#.utf8) + [0xC3, 0xBC, 0x0A]
    var readable = 0
    for _ in 0..<10_000 {
      let bytes = generator.bytes(from: alphabet, maxCount: 10)
      guard (try? JSONReader.read(bytes)) != nil else { continue }
      readable += 1
      #expect(throws: Never.self, "\(String(decoding: bytes, as: UTF8.self))") {
        try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      }
    }
    #expect(readable > 100)
  }
}
