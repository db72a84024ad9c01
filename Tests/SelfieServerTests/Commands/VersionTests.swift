import Foundation
import SelfieAPI
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct VersionTests {
  @Test func `the program prints its version`() async throws {
    let outcome = try await ServerProcess.run(["--version"])
    #expect(outcome.status == 0)
    #expect(outcome.output == [Application.version])
  }

  @Test func `the newest release in the changelog is of the same version`() throws {
    let text = try String(contentsOfFile: "\(checkout)/CHANGELOG.md", encoding: .utf8)
    let releases = text.matches(of: #/\n## \[?(\d+\.\d+\.\d+)\]? /#).map(\.1)
    #expect(releases.first == Application.version[...])
    #expect(releases == releases.sorted { $0.compare($1, options: .numeric) == .orderedDescending })
  }
}
