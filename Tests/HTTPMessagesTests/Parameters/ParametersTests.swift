import HTTPMessages
import Testing

@Suite struct ParametersTests {
  @Test func `the query wins over the body, with null and an array of nulls too`() {
    let parameters = Parameters(
      query: ["a": .string("query"), "n": .null], body: ["a": .string("body"), "n": .string("body"), "b": .bool(true)])
    #expect(parameters["a"] == .string("query"))
    #expect(parameters["n"] == .null)
    #expect(parameters["b"] == .bool(true))
    #expect(parameters["c"] == nil)
    #expect(Parameters(query: ["a": .array([.null])], body: ["a": .string("b")])["a"] == .null)
  }

  @Test(
    arguments: [
      (.array([]), .null), (.array([.null]), .null), (.array([.null, .string("a"), .null]), .array([.string("a")])),
      (.object(["x": .array([])]), .object(["x": .null])),
      (.array([.object(["x": .array([.null])])]), .array([.object(["x": .null])])),
      (.array([.array([.null])]), .array([.array([.null])])), (.object([:]), .object([:])), (.string(""), .string("")),
    ] as [(ParameterValue, ParameterValue)])
  func `deep_munge`(value: ParameterValue, expected: ParameterValue) {
    #expect(Parameters(query: ["a": value])["a"] == expected)
    #expect(Parameters(body: ["a": value])["a"] == expected)
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
