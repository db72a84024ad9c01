import Foundation
import Glibc
import TestSupport

/// The library that lets system calls fail, `Tests/Faults/Faults.c`.
///
/// The package manager cannot build it: what it links needs Swift's runtime, of which a server that is linked statically
/// would then have two.
public enum FaultsLibrary {
  /// Builds it with the C compiler that Swift brings, or the system's.
  ///
  /// - Returns: its path.
  public static func build(_ source: String, in folder: String) throws -> String {
    let library = "\(folder)/libFaults.so"
    let environment = ProcessInfo.processInfo.environment
    let candidates = ["clang", "cc"].flatMap { name in
      (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
    }
    guard let compiler = candidates.first(where: { access($0, X_OK) == 0 }) else {
      throw Violation("there is no clang or cc in PATH")
    }
    let program = try Program(
      compiler, ["-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source, "-ldl"],
      environment: environment, output: STDERR_FILENO, errors: STDERR_FILENO)
    guard program.end() == 0 else { throw Violation("\(compiler) does not compile \(source)") }
    return library
  }
}
