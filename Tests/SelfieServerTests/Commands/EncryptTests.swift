import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct EncryptTests {
  @Test func `encrypt reads from standard input, makes what the app sends, and says what it lacks`() async throws {
    let folder = try TemporaryFolder()
    let key = "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e"
    let environment = ["API_AUTH_NAME": "n", "API_AUTH_PASSWORD": key]
    let outcome = try await folder.run("encrypt", environment: environment, input: "secret12\n")
    #expect(outcome.output == ["YareGHgQouCl2QNmTjUsyQ=="])
    try await folder.run(
      "encrypt secret12", status: 1,
      saying: "There is no API_AUTH_PASSWORD yet. Start the server once to generate it, or set it.")
    try await folder.run(
      "encrypt", environment: environment, status: 1,
      saying: "There is no password to encrypt. Pass it as an argument or on standard input.")
    #expect(try folder.contents().isEmpty)
  }
}
