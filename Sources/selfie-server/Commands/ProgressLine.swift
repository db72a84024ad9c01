import Glibc

/// A line on the terminal that tells how far something has come; nothing where there is no terminal.
final class ProgressLine: Sendable {
  private let isShown = isatty(STDERR_FILENO) != 0

  func show(_ text: String) {
    // Back to the line's beginning; what is left of a longer text is cleared.
    if isShown { Terminal.write("\r\(text)\u{1b}[K", to: STDERR_FILENO) }
  }

  func clear() {
    show("")
  }
}
