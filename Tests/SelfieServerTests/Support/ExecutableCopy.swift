import Glibc
import TestSupport
import Testing

/// Copies files that are to be executed, into a folder.
///
/// cp(1) does it. If this process did, a program that another test starts meanwhile would have the copy open for writing
/// until its own exec, and the copy could not be executed (ETXTBSY, execve(2)).
func copyExecutables(_ files: [String], to folder: String) throws {
  let program = try Program(
    "/bin/cp", files + [folder], environment: [:], output: STDOUT_FILENO, errors: STDERR_FILENO)
  try #require(program.end() == 0)
}
