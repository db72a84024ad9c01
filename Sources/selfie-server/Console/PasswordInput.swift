import ArgumentParser
import Cryptography
import Glibc
import Platform

/// Where a command gets a new password from. Never from an argument, which everybody on the machine can read, and the
/// shell's history keeps.
struct PasswordInput: ParsableArguments {
  @Flag(help: "Make a random password, and print it once.")
  var generate = false

  /// With 95 bits nobody can guess it, and it can still be typed on a phone. Sign-ups take 30 characters at most.
  private static let generatedCharacters = 16

  /// A new password: a random one, what is typed twice at the terminal, or the first line of standard input.
  func password(of email: String) throws -> String {
    if generate { return RandomSource.system.lettersAndDigits(Self.generatedCharacters) }
    guard isatty(STDIN_FILENO) != 0 else {
      guard let line = readLine(), !line.isEmpty else { throw Problem(description: "Standard input has no password.") }
      return line
    }
    let password = try Self.typed("New password of \(email): ")
    guard try Self.typed("The same again: ") == password else {
      throw Problem(description: "The two passwords differ. Nothing was changed.")
    }
    return password
  }

  /// Asks for a line, which the terminal does not show.
  private static func typed(_ prompt: String) throws -> String {
    var shown = termios()
    guard tcgetattr(STDIN_FILENO, &shown) == 0 else { throw SystemError("tcgetattr") }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    // A signal that ended the process here would leave a terminal that shows nothing.
    let signals = InterruptingSignals()
    defer { signals.restore() }
    guard tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { throw SystemError("tcsetattr") }
    defer {
      tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
      Terminal.write("\n", to: STDERR_FILENO)
    }
    Terminal.write(prompt.printable, to: STDERR_FILENO)
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      var byte: UInt8 = 0
      guard read(STDIN_FILENO, &byte, 1) == 1 else { throw Problem(description: "No password was typed.") }
      line.append(byte)
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  private struct Problem: Error, CustomStringConvertible {
    let description: String
  }
}

/// Lets signals interrupt a read instead of ending the process.
private struct InterruptingSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  private let before: [sigaction]

  init() {
    var interrupting = sigaction()
    interrupting.__sigaction_handler.sa_handler = { _ in }
    before = Self.numbers.map { [interrupting] number in
      var before = sigaction()
      withUnsafePointer(to: interrupting) { _ = sigaction(number, $0, &before) }
      return before
    }
  }

  func restore() {
    for (number, action) in zip(Self.numbers, before) {
      withUnsafePointer(to: action) { _ = sigaction(number, $0, nil) }
    }
  }
}
