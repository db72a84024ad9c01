import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct HealthTests {
  @Test func `health tells a server that answers from one that does not`() async throws {
    let server = try ServerProcess()
    let port = "\(try await server.port())"
    let folder = try TemporaryFolder()
    for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
      let outcome = try await folder.run("health", environment: ["PORT": port, "HOST": host])
      #expect(outcome.output.isEmpty)
    }
    await server.stop()
    try await folder.run(
      "health", environment: ["PORT": port], status: 1,
      saying: "Nothing listens on 127.0.0.1, port \(port): Connection refused.")
    #expect(try folder.contents().isEmpty)
  }

  @Test(arguments: ["::1", "[::1]", "::", "*"])
  func `health asks at an IPv6 address, and where a server listens on all`(host: String) async throws {
    let server = try ServerProcess(environment: ["HOST": host])
    let port = "\(try await server.port())"
    try await server.folder.run("health", environment: ["PORT": port, "HOST": host])
    let constants = try await server.folder.run("constants", environment: ["HOST": host])
    #expect(constants.output.contains { $0.contains(host.contains("1") ? "//[::1]:" : "//localhost:") })
  }
}
