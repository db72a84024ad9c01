import APITestSupport
import Testing

@testable import SelfieAPI

/// Validations, beyond the sign-ups in `Exchanges`.
@Suite struct ValidationTests {
  @Test func `white space is what Unicode takes for white space`() {
    let differing = (UInt32(0)...0xffff).compactMap(Unicode.Scalar.init).filter { scalar in
      Validation.isBlank(String(scalar)) != scalar.properties.isWhitespace
    }
    #expect(differing == [])
  }

  @Test(arguments: [
    // A family is seven characters to the database, though a person sees one.
    (String(repeating: "👨‍👩‍👧‍👦", count: 36), true), (String(repeating: "👨‍👩‍👧‍👦", count: 37), false),
  ])
  func `a text is measured in characters as the database counts them`(_ text: String, _ fits: Bool) {
    var validation = Validation()
    validation.checkLength("first_name", text)
    #expect(validation.isValid == fits)
  }
}
