import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct LibrariesTests {
  @Test func `the program loads no client of a database server, and none of HTTP`() async throws {
    // With this variable the loader lists the libraries that the program needs, and does not start it.
    let outcome = try await ServerProcess.run(
      ["--version"], environment: ["LD_TRACE_LOADED_OBJECTS": "1"], in: try TemporaryFolder())
    let libraries = outcome.output.map { $0.drop { $0.isWhitespace } }
    #expect(libraries.contains { $0.hasPrefix("libsqlite3.so") }, "\(outcome)")
    #expect(!libraries.contains { $0.hasPrefix("libpq.so") || $0.hasPrefix("libcurl") }, "\(outcome)")
  }
}
