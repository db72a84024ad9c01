import Glibc

/// A line on the terminal that shows how far a command has come. Without a terminal it writes nothing.
final class ProgressLine: Sendable {
  private let isShown = isatty(STDERR_FILENO) != 0

  func show(_ text: String) {
    // Begins the line anew, and clears the rest of a longer text.
    if isShown { Terminal.write("\r\(text)\u{1b}[K", to: STDERR_FILENO) }
  }

  func clear() {
    show("")
  }
}
