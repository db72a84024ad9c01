import ArgumentParser
import Cryptography
import Glibc
import Platform
import Synchronization

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
    let signals = try InterruptingSignals()
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
      guard signals.wait(for: STDIN_FILENO), read(STDIN_FILENO, &byte, 1) == 1 else {
        throw Problem(description: "No password was typed.")
      }
      line.append(byte)
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  private struct Problem: Error, CustomStringConvertible {
    let description: String
  }
}

/// Lets signals end the wait for a line instead of the process.
///
/// A signal may come on any thread, and before the wait begins. So its handler writes to a pipe, which the wait looks at.
private struct InterruptingSignals {
  private static let numbers = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// Where the handlers write to: they can know only what is static.
  private static let writingEnd = Atomic<Int32>(-1)
  private let readingEnd: Int32
  private let before: [sigaction]

  init() throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw SystemError("pipe") }
    readingEnd = ends[0]
    Self.writingEnd.store(ends[1], ordering: .relaxed)
    var interrupting = sigaction()
    interrupting.__sigaction_handler.sa_handler = { _ in
      let number = errno
      var byte: UInt8 = 0
      _ = write(InterruptingSignals.writingEnd.load(ordering: .relaxed), &byte, 1)
      errno = number
    }
    before = Self.numbers.map { [interrupting] number in
      var before = sigaction()
      withUnsafePointer(to: interrupting) { _ = sigaction(number, $0, &before) }
      return before
    }
  }

  /// Waits until a descriptor can be read; false if a signal has come.
  func wait(for descriptor: Int32) -> Bool {
    var polled = [descriptor, readingEnd].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    while poll(&polled, nfds_t(polled.count), -1) < 0 {
      guard errno == EINTR else { return false }
    }
    return polled[1].revents == 0
  }

  func restore() {
    for (number, action) in zip(Self.numbers, before) {
      withUnsafePointer(to: action) { _ = sigaction(number, $0, nil) }
    }
    close(Self.writingEnd.exchange(-1, ordering: .relaxed))
    close(readingEnd)
  }
}
