import Foundation
import SelfieAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct LibrariesTests {
  /// Whether a program needs libcurl, and whether it needs libpq.
  private func clients(of executable: String) async throws -> (http: Bool, database: Bool) {
    // With this variable the loader lists the libraries that the program needs, and does not start it.
    let outcome = try await ServerProcess.run(
      ["--version"], of: executable, environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
    let libraries = outcome.output.map { $0.drop { $0.isWhitespace } }
    #expect(libraries.contains { $0.hasPrefix("libsqlite3.so") }, "\(outcome)")
    return (libraries.contains { $0.hasPrefix("libcurl") }, libraries.contains { $0.hasPrefix("libpq.so") })
  }

  @Test func `the program loads no client of a database server, and none of HTTP; the one for clusters both`()
    async throws
  {
    #expect(try await clients(of: ServerProcess.executable) == (false, false))
    #expect(try await clients(of: ServerProcess.clusterExecutable) == (true, true))
  }
}

@Suite(.timeLimit(.minutes(10))) struct VersionTests {
  @Test func `the program prints its version`() async throws {
    #expect(try await ServerProcess.run(["--version"]).output == [Application.version])
  }

  @Test func `the newest release in the changelog is of the same version`() throws {
    let text = try String(contentsOfFile: "\(checkout)/CHANGELOG.md", encoding: .utf8)
    let releases = text.matches(of: #/\n## \[?(\d+\.\d+\.\d+)\]? /#).map(\.1)
    #expect(releases.first == Application.version[...])
    #expect(releases == releases.sorted { $0.compare($1, options: .numeric) == .orderedDescending })
  }
}
