import HTTPMessages
import Testing

@testable import SelfieAPI

/// The original decoded `password.to_s`, whatever it was.
@Suite struct PasswordTextTests {
  @Test(
    arguments: [
      (.string("YareGHgQ\n"), "YareGHgQ\n"), (.array([]), ""), (.array([.string("a"), .string("b"), .null]), "ab"),
      (.array([.null, .string("a")]), ""), (.null, ""), (.bool(true), ""), (.number("1e5"), ""), (.object([:]), ""),
    ] as [(ParameterValue, String)])
  func `of a list, the first texts count, and nothing else is a text`(_ value: ParameterValue, _ text: String) throws {
    #expect(String(decoding: try PasswordText(value).bytes, as: UTF8.self) == text)
  }

  @Test(
    arguments: [
      (.array([.string("YareGHgQouCl2QNmTjUsyQ==")]), "A password must be a string, not a list."),
      (.array([.null]), "A password must be a string, not a list."),
      (.file(filename: "p", byteCount: 3), "A password must be a string, not a file."),
    ] as [(ParameterValue, String)])
  func `a list of one, and a file, are refused`(_ value: ParameterValue, _ message: String) throws {
    let error = try #require(throws: APIError.self) { try PasswordText(value) }
    #expect(error.status == .badRequest)
    #expect(error.message == message)
  }

  @Test func `a text of more than 4 KiB is refused, also one in a list`() throws {
    let longest = String(repeating: "A", count: RequestLimits.maxPasswordBytes)
    #expect(try PasswordText(.string(longest)).bytes.count == longest.utf8.count)
    for value in [.string(longest + "A"), .array([.string(longest), .string("A")])] as [ParameterValue] {
      let error = try #require(throws: APIError.self) { try PasswordText(value) }
      #expect(error.status == .contentTooLarge)
    }
  }
}
