import Glibc

/// A line on the terminal that shows how far a command has come. Without a terminal it writes nothing.
final class ProgressLine: Sendable {
  private let isShown = isatty(STDERR_FILENO) != 0

  func show(_ text: String) {
    if isShown { Terminal.replaceLine(with: text, to: STDERR_FILENO) }
  }

  func clear() {
    show("")
  }
}
