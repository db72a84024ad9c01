import APITestSupport
import Testing

@testable import SelfieAPI

@Suite struct ValidationTests {
  @Test(arguments: ["a@b.c", "jane@example.com", "a b@c.d", "ü@ü.ü", "a@b.c.d.e", "a@b.c\n", "\n@\n.\n", ".@-._"])
  func `an address has one @ and two or more labels behind it`(_ email: String) {
    #expect(Validation.isEmail(email))
  }

  @Test(arguments: [
    "", "@", "a", "a@", "@b.c", "a@b", "a@b.", "a@.c", "a@b..c", "a@b.c.", "a@@b.c", "a@b@c.d", "a@b.c@", "jane.doe",
  ])
  func `anything else is no address`(_ email: String) {
    #expect(!Validation.isEmail(email))
  }

  @Test(arguments: [("", true), (" \t\r\n", true), ("\u{3000}\u{a0}\u{2028}", true), ("a", false), (" \u{0} ", false)])
  func `blank is what has nothing but white space`(_ text: String, _ isBlank: Bool) {
    #expect(Validation.isBlank(text) == isBlank)
  }

  @Test func `white space is what Unicode takes for white space`() {
    let differing = (UInt32(0)...0xffff).compactMap(Unicode.Scalar.init).filter { scalar in
      Validation.isBlank(String(scalar)) != scalar.properties.isWhitespace
    }
    #expect(differing == [])
  }

  @Test(arguments: [
    (nil, "password - is too short (minimum is 6 characters),"),
    (0, "password - is too short (minimum is 6 characters),"),
    (5, "password - is too short (minimum is 6 characters),"), (6, ""), (30, ""),
    (31, "password - is too long (maximum is 30 characters),"),
  ])
  func `a password is measured in bytes`(_ count: Int?, _ message: String) {
    var validation = Validation()
    validation.checkPassword(count.map { [UInt8](repeating: 0xc3, count: $0) }, bytes: 6...30)
    #expect(validation.message == message)
    #expect(validation.isValid == message.isEmpty)
  }

  @Test(arguments: [
    (nil, true), ("", true), (String(repeating: "é", count: 255), true), (String(repeating: "é", count: 256), false),
    // A family is seven characters to the database, though a person sees one.
    (String(repeating: "👨‍👩‍👧‍👦", count: 36), true), (String(repeating: "👨‍👩‍👧‍👦", count: 37), false),
  ])
  func `a text is measured in characters as the database counts them`(_ text: String?, _ fits: Bool) {
    var validation = Validation()
    validation.checkLength("first_name", text)
    #expect(validation.isValid == fits)
  }

  @Test func `messages are grouped by attribute, in the order of the first failures`() {
    var validation = Validation()
    validation.add("email", "can't be blank")
    validation.add("password", "is too short (minimum is 6 characters)")
    validation.add("email", "is invalid")
    #expect(
      validation.message
        == "email - can't be blank,email - is invalid,password - is too short (minimum is 6 characters),")
  }
}
