import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConstantsCommandTests {
  @Test func `the constants of the first start are printed again, whether or not the server runs`() async throws {
    let folder = try TemporaryFolder()
    let server = try await ServerProcess(environment: ["PUBLIC_URL": "https://selfies.example"], in: folder).listening()
    let environment = ["PUBLIC_URL": "https://selfies.example"]
    let running = try await ServerProcess.run(["constants"], environment: environment, in: folder).output
    await server.stop()
    let printed = await server.output.all().filter { $0.contains("static let") }
    #expect(printed.count == 3 && running == printed, "\(running)")
    let stopped = try await ServerProcess.run(["constants"], environment: environment, in: folder).output
    #expect(stopped == printed, "\(stopped)")
    try folder.remove("storage/credentials.env")
    try await ServerProcess.run(["constants"], in: folder, status: 1, saying: "there is no storage/credentials.env")
  }
}
