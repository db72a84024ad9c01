import Foundation

/// A Python interpreter with packages that the scripts in Tests/ObjectStorageTests/Python import. `.ci/run` installs
/// them.
package struct PythonInterpreter: Sendable {
  /// moto from PyPI, for whatever Python comes first in the path.
  package static let ofPyPI = PythonInterpreter(
    paths: (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/python3" },
    packages: "\(checkout)/.build/python", needed: ["moto"],
    reason: "needs Python with moto in .build/python: see .ci/run")

  /// Debian's own Python, and its package python3-swift.
  package static let ofDebian = PythonInterpreter(
    paths: ["/usr/bin/python3"], packages: "/usr/lib/python3/dist-packages", needed: ["swift"],
    reason: "needs Debian's package python3-swift: see .ci/tools")

  private let path: String?
  private let packages: String
  package let isComplete: Bool
  /// Why tests that need it are skipped.
  package let reason: String

  private init(paths: [String], packages: String, needed: [String], reason: String) {
    path = paths.first { FileManager.default.isExecutableFile(atPath: $0) }
    self.packages = packages
    isComplete = path != nil && needed.allSatisfy { FileManager.default.fileExists(atPath: "\(packages)/\($0)") }
    self.reason = reason
  }

  /// Starts one of the scripts. The descriptors stay open here.
  package func start(_ script: String, input: Int32, output: Int32, errors: Int32) throws -> Program {
    guard let path else { throw NotPossible("There is no Python.") }
    return try Program(
      path, ["\(checkout)/Tests/ObjectStorageTests/Python/\(script)"],
      environment: ["PYTHONPATH": packages, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""],
      input: input, output: output, errors: errors)
  }
}
