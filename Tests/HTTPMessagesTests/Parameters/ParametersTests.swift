import HTTPMessages
import Testing

@Suite struct ParametersTests {
  @Test func `the query wins over the body, with null and an array of nulls too`() {
    let body = Parameters(["a": .string("body"), "n": .string("body"), "b": .bool(true)])
    let parameters = body.replaced(by: Parameters(["a": .string("query"), "n": .null]))
    #expect(parameters["a"] == .string("query"))
    #expect(parameters["n"] == .null)
    #expect(parameters["b"] == .bool(true))
    #expect(parameters["c"] == nil)
    #expect(Parameters(["a": .string("b")]).replaced(by: Parameters(["a": .array([.null])]))["a"] == .null)
    #expect(body.replaced(by: Parameters()) == body)
    #expect(Parameters().replaced(by: body) == body)
  }

  @Test func `some names are sorted by their bytes`() {
    let many = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("a\($0)", ParameterValue.null) })
    #expect(Parameters(["b": .null, "a": .null, "B": .null]).someNames == ["B", "a", "b"])
    #expect(Parameters(many).someNames.count == 64)
  }

  @Test func `a letter of a name that is not ASCII is a question mark`() throws {
    let name = "e\u{301}\u{1f468}[b]"
    let form = try FormParameters.parse(query: Array("\(name)=1".utf8)[...])
    #expect(form == ["e??": .object(["b": .string("1")])])
    #expect(try JSONReader.parameters(fromJSONBody: Array("{\"\u{e9}\":1}".utf8)) == ["?": .number("1")])
    #expect(try JSONReader.read(Array("{\"\u{e9}\":1}".utf8)) == .object(["\u{e9}": .number("1")]))
  }

  @Test(
    arguments: [
      (.array([]), .null), (.array([.null]), .null), (.array([.null, .string("a"), .null]), .array([.string("a")])),
      (.object(["x": .array([])]), .object(["x": .null])),
      (.array([.object(["x": .array([.null])])]), .array([.object(["x": .null])])),
      (.array([.array([.null])]), .array([.array([.null])])), (.object([:]), .object([:])), (.string(""), .string("")),
    ] as [(ParameterValue, ParameterValue)])
  func `deep_munge`(value: ParameterValue, expected: ParameterValue) {
    #expect(Parameters(["a": value])["a"] == expected)
  }

  @Test(
    arguments: [
      (nil, false), (.null, false), (.bool(false), false),
      (.bool(true), true), (.string(""), true), (.number("0"), true), (.object([:]), true),
      (.file(filename: nil, byteCount: 0), true),
    ] as [(ParameterValue?, Bool)])
  func `Presence is Ruby's truthiness`(value: ParameterValue?, isPresent: Bool) {
    #expect(value.isPresent == isPresent)
  }
}
