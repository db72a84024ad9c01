import ArgumentParser
import Cryptography
import Glibc
import Platform
import SelfieOperations

/// A new password for a command. It never comes from an argument, which every process on the machine can read, and the
/// shell's history keeps. `Terminal` writes the output of commands.
struct PasswordInput: ParsableArguments {
  @Flag(help: "Generate a random password, and print it once.")
  var generate = false

  static let discussion = """
    The command asks for the password without showing it, or reads the first line of standard input. With --generate, \
    it prints only the new password on standard output.
    """
  /// With 95 bits it cannot be guessed, and can still be typed on a phone. Sign-ups take 30 characters at most.
  private static let generatedCharacters = 16

  /// A new password: a random one, what is typed twice at the terminal, or the first line of standard input.
  func password(of email: String) throws -> String {
    if generate { return RandomSource.system.lettersAndDigits(Self.generatedCharacters) }
    guard isatty(STDIN_FILENO) != 0 else {
      guard let line = readLine()?.withoutMark, !line.isEmpty else {
        throw OperationError("Standard input contains no password. Its first line must be the password.")
      }
      return line
    }
    let password = try Self.typed("New password of \(email): ")
    guard try Self.typed("Repeat the password: ") == password else {
      throw OperationError("The passwords differ. Nothing was changed.")
    }
    return password
  }

  /// Asks for a line, which the terminal does not show (getpass(3)). Ctrl-C ends nothing meanwhile: it is a character
  /// of the line, which is then refused.
  private static func typed(_ prompt: String) throws -> String {
    let line = getpass(prompt.printable).map { String(cString: $0) } ?? ""
    guard !line.isEmpty, !line.utf8.contains(where: { $0 < 0x20 }) else {
      throw OperationError("No password was typed.")
    }
    return line
  }
}

/// Asks before what cannot be undone.
struct Confirmation: ParsableArguments {
  @Flag(help: "Do it without asking.")
  var yes = false

  /// Returns if the owner agrees.
  ///
  /// - Throws: an error if not, or without a terminal to ask at.
  func ask(_ question: String) throws {
    guard !yes else { return }
    guard isatty(STDIN_FILENO) != 0 else { throw OperationError("\(question) To confirm, pass --yes.") }
    Terminal.write("\(question.printable) [y/N] ", to: STDERR_FILENO)
    guard ["y", "yes"].contains(readLine()?.lowercased()) else {
      throw OperationError("Nothing was changed.")
    }
  }
}
