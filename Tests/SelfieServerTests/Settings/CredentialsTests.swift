import Testing

@testable import SelfieServer

@Suite struct CredentialsTests {
  @Test(arguments: [
    ("fifteen bytes!!", "is shorter than 16 bytes"), ("passwordpassword", "has fewer than 8 different characters"),
    ("3141592653589793", "has only digits, and fewer than 20"), ("31415926535897932384", nil),
    ("0000000000000000selfie0server0ephemeral0password0000000000000000", "is the public one of test servers"),
    ("0123456789abcdef", nil),
  ])
  func `a password that can be guessed has a reason`(_ password: String, _ reason: String?) {
    #expect(Credentials(name: "name", password: password).weakness == reason)
  }
}
