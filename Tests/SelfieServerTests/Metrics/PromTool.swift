import Glibc
import TestSupport

/// Prometheus' own checks: Debian's package `prometheus`.
enum PromTool {
  static let isInstalled = access("/usr/bin/promtool", X_OK) == 0

  static func run(
    _ command: String, input: String = "", in folder: TemporaryFolder
  ) async throws -> ServerProcess.Outcome {
    try folder.write(input, to: "promtool.input")
    return try await ServerProcess.run(
      [], in: folder, shell: "exec promtool \(command) < promtool.input", hasHome: false)
  }
}
