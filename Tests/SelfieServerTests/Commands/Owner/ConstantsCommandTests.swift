import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ConstantsCommandTests {
  @Test func `the constants of the first start are printed again, whether or not the server runs`() async throws {
    let folder = try TemporaryFolder()
    let environment = ["PUBLIC_URL": "https://selfies.example"]
    let printed = try await constants(ofServerWith: environment, in: folder)
    let stopped = try await folder.run("constants", environment: environment).output
    #expect(stopped == printed, "\(stopped)")
    // The system has chosen the port of this one.
    _ = try await constants(ofServerWith: [:], in: TemporaryFolder())
    try folder.remove("storage/credentials.env")
    try await folder.run("constants", status: 1, saying: "there is no storage/credentials.env")
  }

  /// Starts a server for the first time, and returns the constants that it prints. While it runs, the command must print
  /// the same.
  private func constants(
    ofServerWith environment: [String: String], in folder: TemporaryFolder
  ) async throws -> [String] {
    let server = try await ServerProcess(environment: environment, in: folder).listening()
    let running = try await folder.run("constants", environment: environment).output
    await server.stop()
    let printed = await server.output.all().filter { $0.contains("static let") }
    #expect(printed.count == 3 && running == printed, "\(running)")
    return printed
  }
}
