import Glibc
import Platform

/// Writes text without a buffer, so that a program that reads it through a pipe gets it at once.
enum Terminal {
  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }

  /// Writes lines whose text may contain anything, such as the name of a file. A line feed in `text` ends a line.
  static func writeLines(_ text: String, to descriptor: Int32) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    write(lines.map { String($0).printable + "\n" }.joined(), to: descriptor)
  }
}
