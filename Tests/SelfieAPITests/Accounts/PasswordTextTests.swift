import APITestSupport
import HTTPMessages
import Testing

@testable import SelfieAPI

/// The original decoded `password.to_s`, whatever it was.
@Suite struct PasswordTextTests {
  @Test(
    arguments: [
      (.string(""), ""), (.string("YareGHgQ\n"), "YareGHgQ\n"), (.null, ""), (.bool(true), "true"),
      (.bool(false), "false"), (.number("1e5"), "1e5"), (.array([]), "[]"),
      (.array([.string("a"), .null]), #"["a", nil]"#), (.object([:]), "{}"),
      (.object(["a\"b": .array([.number("1"), .string("x\\\n\r\t")])]), #"{"a\"b"=>[1, "x\\\n\r\t"]}"#),
      (.array([.bool(true), .object(["k": .bool(false)])]), #"[true, {"k"=>false}]"#),
    ] as [(ParameterValue, String)])
  func `is read as Ruby prints it`(_ value: ParameterValue, _ text: String) throws {
    #expect(String(decoding: try PasswordText(value).bytes, as: UTF8.self) == text)
  }

  @Test(
    arguments: [
      (.array([.string("YareGHgQouCl2QNmTjUsyQ==")]), "A password must be a string, not a list."),
      (.array([.null]), "A password must be a string, not a list."),
      (.file(FilePart(filename: "p", byteCount: 3)), "A password must be a string, not a file."),
    ] as [(ParameterValue, String)])
  func `a list of one, and a file, are refused`(_ value: ParameterValue, _ message: String) throws {
    let error = try #require(throws: APIError.self) { try PasswordText(value) }
    #expect(error.status == .badRequest)
    #expect(error.message == message)
  }

  @Test func `a text of more than 64 KiB is refused, also one in many nested lists`() throws {
    let limit = RequestLimits.maxTextBytes
    let longest = String(repeating: "A", count: limit)
    #expect(try PasswordText(.string(longest)).bytes.count == limit)
    let deep = (0..<90).reduce(ParameterValue.string(longest)) { value, _ in .array([.null, value]) }
    for value in [.string(longest + "A"), .array([.string(longest), .null]), .object([longest: .null]), deep] {
      let error = try #require(throws: APIError.self) { try PasswordText(value) }
      #expect(error.status == .contentTooLarge)
      #expect(error.message == "A password is longer than 65536 bytes.")
    }
  }

  @Test func `nothing printed lets anybody in`() async throws {
    let api = try APIFixture()
    try await api.signUp()
    for value in ["true", "12345678", "[1,2]", "{}", "\"\"", "{\"a\":\"YareGHgQouCl2QNmTjUsyQ==\"}"] {
      let body = Array(#"{"email":"jane@example.com","password":\#(value)}"#.utf8)
      let response = await api.application.respond(
        Request(
          "POST", "/api/signin", fields: APIFixture.Caller.app.fields + [("Content-Type", "application/json")],
          body: body))
      #expect(response.status == .unauthorized, "password \(value)")
      #expect(response.message == "Wrong Password")
    }
  }
}
