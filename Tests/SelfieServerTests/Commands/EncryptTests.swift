import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct EncryptTests {
  private let folder: TemporaryFolder
  private let environment = [
    "API_AUTH_NAME": "n", "API_AUTH_PASSWORD": "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e",
  ]

  init() throws { folder = try TemporaryFolder() }

  @Test func `a password on standard input becomes what the app sends`() async throws {
    let outcome = try await folder.run("encrypt", environment: environment, input: "secret12\n")
    #expect(outcome.output == ["YareGHgQouCl2QNmTjUsyQ=="])
  }

  @Test func `what is lacking is said`() async throws {
    try await folder.run(
      "encrypt secret12", status: 1,
      saying: "There is no API_AUTH_PASSWORD yet. Start the server once to generate it, or set it.")
    try await folder.run(
      "encrypt", environment: environment, status: 1,
      saying: "There is no password to encrypt. Pass it as an argument or on standard input.")
    #expect(try folder.contents().isEmpty)
  }
}
