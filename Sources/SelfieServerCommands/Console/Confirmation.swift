import ArgumentParser
import Glibc
import Platform

/// Asks before what cannot be undone.
struct Confirmation: ParsableArguments {
  @Flag(help: "Do it without being asked.")
  var yes = false

  /// Returns if the owner agrees.
  ///
  /// - Throws: an error if not, or without a terminal to ask at.
  func ask(_ question: String) throws {
    guard !yes else { return }
    guard isatty(STDIN_FILENO) != 0 else { throw CommandFailure("\(question) Give --yes if so.") }
    Terminal.write("\(question.printable) [y/N] ", to: STDERR_FILENO)
    guard ["y", "yes"].contains(readLine()?.lowercased()) else {
      throw CommandFailure("Nothing was changed.")
    }
  }
}
