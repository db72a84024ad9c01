import APITestSupport
import Testing

@Suite struct PlaceholdersTests {
  /// The name and the password of the tutorial, and its example of an encrypted password.
  private let functions = PlaceholderFunctions(
    run: "0123456789", authName: APIFixture.authName, authPassword: APIFixture.authPassword)

  private func fill(_ text: String, shapes: Shapes? = nil) throws -> String {
    try Placeholders(functions: functions, shapes: shapes).text(of: text)
  }

  @Test(arguments: [
    ("plain <b> $ { } < > text", "plain <b> $ { } < > text"), ("a-${run}@b", "a-0123456789@b"),
    ("${enc:secret12}", "YareGHgQouCl2QNmTjUsyQ=="), ("${unpadded:secret12}", "YareGHgQouCl2QNmTjUsyQ"),
    ("${enchex:7365637265743132}", "YareGHgQouCl2QNmTjUsyQ=="), ("${enc64:secret12}", "YareGHgQouCl2QNmTjUsyQ==\n"),
    ("${split:secret12}", "YareGHg\nQouCl2\r\n QNmTjUsyQ=="), ("${q:${enc:secret12}}", "YareGHgQouCl2QNmTjUsyQ%3D%3D"),
    ("${half:secret12}", "YareGHgQouCl2QNmTjUsyQAAAAAAAAAA"), ("${b64:a:${run}}", "YTowMTIzNDU2Nzg5"),
    ("${q:a b+/~_-.ü}", "a%20b%2B%2F~_-.%C3%BC"), ("${json:a\"\\\n/}", "a\\\"\\\\\\n/"), ("${prefix:abc}", "ab"),
    ("${swapcase:aBc1}", "AbC1"), ("${unquoted:\"a\"}", "a"), ("<<3 x>><<2 张>>", "xxx张张"),
    ("<<U+2028>>|<<U+0000>>", "\u{2028}|\0"), ("<<hex 0d0a>>", "\r\n"),
    ("${enc:<<hex 736563>>ret12}", "YareGHgQouCl2QNmTjUsyQ=="),
  ])
  func `what is written stands for`(text: String, filled: String) throws {
    #expect(try fill(text) == filled)
  }

  @Test func `bytes need not be text`() throws {
    let bytes = try Placeholders(functions: functions).bytes(of: "<<hex fffe>>a<<bytes 0..255>><<252 bytes i mod 251>>")
    #expect(bytes == [0xff, 0xfe, 0x61] + Array(0...255) + Array(0...250) + [0])
  }

  @Test func `the values of earlier responses are sent by their names`() throws {
    var shapes = Shapes()
    #expect(shapes.name("token", "first") == "<token#1>")
    #expect(shapes.name("token", "second") == "<token#2>")
    #expect(try fill("Token <token#2>, ${prefix:<token#1>}", shapes: shapes) == "Token second, firs")
    #expect(try fill("<token#2>") == "<token#2>")
    #expect(throws: Placeholders.Failure.self) { try fill("<token#3>", shapes: shapes) }
    #expect(throws: Placeholders.Failure.self) { try fill("<id#1>", shapes: shapes) }
  }

  @Test(arguments: ["${", "${run", "${nothing}", "${nothing:a}", "${enc:a", "<<nothing>>", "<<hex 0>>"])
  func `what stands for nothing is refused`(text: String) {
    #expect(throws: Placeholders.Failure.self) { try fill(text) }
  }

  @Test func `ciphertexts are what they are made for`() throws {
    #expect(try fill("${encplus}").contains("+"))
    let urlSafe = try fill("${urlsafe}")
    #expect(urlSafe.contains { "-_".contains($0) })
    #expect(!urlSafe.contains { "+/".contains($0) })
    #expect(try fill("${badkey:secret12}") != fill("${enc:secret12}"))
  }
}
