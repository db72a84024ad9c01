import ArgumentParser
import Cryptography
import Glibc
import Platform
import SelfieOperations

// Asks the owner for passwords and for a yes or no. `Terminal` writes the output of commands.

extension ArgumentHelp {
  static let generate: ArgumentHelp = "Generate a random password, and print it once."
  static let yes: ArgumentHelp = "Do it without asking."
}

/// The discussion of commands that take a new password. It never comes from an argument, which every process on the
/// machine can read, and the shell's history keeps.
let passwordDiscussion = """
  The command asks for the password without showing it, or reads the first line of standard input. With --generate, \
  it prints only the new password on standard output.
  """

/// A new password: a random one, what is typed twice at the terminal, or the first line of standard input.
func newPassword(of email: String, isGenerated: Bool) throws -> String {
  // With 95 bits it cannot be guessed, and can still be typed on a phone. Sign-ups take 30 characters at most.
  if isGenerated { return RandomSource.system.lettersAndDigits(16) }
  guard isatty(STDIN_FILENO) != 0 else {
    guard let line = readLine()?.withoutMark, !line.isEmpty else {
      throw OperationError("Standard input contains no password. Its first line must be the password.")
    }
    return line
  }
  let password = try typedPassword("New password of \(email): ")
  guard try typedPassword("Repeat the password: ") == password else {
    throw OperationError("The passwords differ. Nothing was changed.")
  }
  return password
}

/// Asks for a line, which the terminal does not show (getpass(3)). Ctrl-C ends nothing meanwhile: it is a character
/// of the line, which is then refused.
private func typedPassword(_ prompt: String) throws -> String {
  let line = getpass(prompt.printable).map { String(cString: $0) } ?? ""
  guard !line.isEmpty, !line.utf8.contains(where: { $0 < 0x20 }) else {
    throw OperationError("No password was typed.")
  }
  return line
}

/// Asks before what cannot be undone. Returns if the owner agrees, or has agreed by --yes.
///
/// - Throws: an error if not, or without a terminal to ask at.
func confirm(_ question: String, isAgreed: Bool) throws {
  guard !isAgreed else { return }
  guard isatty(STDIN_FILENO) != 0 else { throw OperationError("\(question) To confirm, pass --yes.") }
  Terminal.write("\(question.printable) [y/N] ", to: STDERR_FILENO)
  guard ["y", "yes"].contains(readLine()?.lowercased()) else { throw OperationError("Nothing was changed.") }
}
