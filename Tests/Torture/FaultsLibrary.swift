import Foundation
import Glibc
import TestSupport

/// The library that lets system calls fail, `Tests/Faults/Faults.c`.
///
/// The package manager cannot build it: what it links needs Swift's runtime, of which a server that is linked statically
/// would then have two.
package enum FaultsLibrary {
  /// Builds it with the C compiler that Swift brings, or the system's.
  ///
  /// - Returns: its path.
  package static func build(_ source: String, in folder: String) throws -> String {
    let library = "\(folder)/libFaults.so"
    let compile = #""$(command -v clang || command -v cc)" -shared -fPIC -O1 -Wall -Werror -o "$1" "$0" -ldl"#
    let compiler = try Program(
      "/bin/sh", ["-c", compile, source, library], environment: ProcessInfo.processInfo.environment,
      output: STDERR_FILENO, errors: STDERR_FILENO)
    guard compiler.end() == 0 else { throw Violation("\(source) cannot be compiled; is there a clang or cc in PATH?") }
    return library
  }
}
