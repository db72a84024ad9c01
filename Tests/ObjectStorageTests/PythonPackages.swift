import Foundation
import TestSupport
import Testing

/// Python, with the packages that `.ci/run` installs for the tests of this target.
enum PythonPackages {
  static let reason: Comment = "needs Python with botocore and moto in .build/python: see .ci/run"

  static let areInstalled =
    python != nil && FileManager.default.fileExists(atPath: "\(folder)/botocore")
    && FileManager.default.fileExists(atPath: "\(folder)/moto")

  /// Runs one of this target's scripts to its end. Returns the lines that it prints.
  static func run(_ script: String, input: String) throws -> [Substring] {
    let files = try TemporaryFolder()
    try files.write(input, to: "input")
    try files.write("", to: "output")
    try files.write("", to: "errors")
    let input = try FileHandle(forReadingFrom: URL(fileURLWithPath: "\(files.path)/input"))
    let output = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(files.path)/output"))
    let errors = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(files.path)/errors"))
    let program = try start(
      ["\(checkout)/Tests/ObjectStorageTests/Python/\(script)"], input: input.fileDescriptor,
      output: output.fileDescriptor, errors: errors.fileDescriptor)
    guard program.end() == 0 else { throw Failed(errors: try files.text(of: "errors")) }
    return try files.text(of: "output").split(separator: "\n")
  }

  static func start(
    _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil, output: Int32, errors: Int32
  ) throws -> Program {
    guard let python else { throw Failed(errors: "There is no python3.") }
    let packages = ["PYTHONPATH": folder, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
    return try Program(
      python, arguments, environment: packages.merging(environment) { $1 }, input: input, output: output,
      errors: errors)
  }

  private static let folder = "\(checkout)/.build/python"

  private static let python = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    .map { "\($0)/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  private struct Failed: Error {
    let errors: String
  }
}
