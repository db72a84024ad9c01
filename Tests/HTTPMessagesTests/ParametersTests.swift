import HTTPMessages
import Testing

@Suite("Parameters")
struct ParametersTests {
  @Test("The query wins over the body, with null too")
  func merge() {
    let parameters = Parameters(
      query: ["a": .string("query"), "n": .null], body: ["a": .string("body"), "n": .string("body"), "b": .bool(true)])
    #expect(parameters["a"] == .string("query"))
    #expect(parameters["n"] == .null)
    #expect(parameters["b"] == .bool(true))
    #expect(parameters["c"] == nil)
  }

  @Test(
    "deep_munge",
    arguments: [
      (.array([]), .null),
      (.array([.null]), .null),
      (.array([.null, .string("a"), .null]), .array([.string("a")])),
      (.object(["x": .array([])]), .object(["x": .null])),
      (.array([.object(["x": .array([.null])])]), .array([.object(["x": .null])])),
      (.array([.array([.null])]), .array([.array([.null])])),
      (.object([:]), .object([:])),
      (.string(""), .string("")),
    ] as [(ParameterValue, ParameterValue)])
  func munge(value: ParameterValue, expected: ParameterValue) {
    #expect(Parameters(query: ["a": value])["a"] == expected)
    #expect(Parameters(body: ["a": value])["a"] == expected)
  }

  @Test("An array of nulls in the query hides the body's value")
  func mungedBeforeMerge() {
    #expect(Parameters(query: ["a": .array([.null])], body: ["a": .string("b")])["a"] == .null)
  }

  @Test(
    "Presence is Ruby's truthiness",
    arguments: [
      (nil, false), (.null, false), (.bool(false), false),
      (.bool(true), true), (.string(""), true), (.number("0"), true), (.object([:]), true),
      (.file(FilePart(filename: nil, byteCount: 0)), true),
    ] as [(ParameterValue?, Bool)])
  func presence(value: ParameterValue?, isPresent: Bool) {
    #expect(value.isPresent == isPresent)
  }
}
