import Glibc
import Platform

/// Writes text without a buffer, so that a program that reads it through a pipe gets it at once.
enum Terminal {
  static func write(_ text: String, to descriptor: Int32) {
    write(Array(text.utf8), to: descriptor)
  }

  /// Writes all of the bytes, or as many as somebody reads.
  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes a JSON text, and ends its line.
  static func writeJSON(_ json: [UInt8]) { write(json + [UInt8(ascii: "\n")], to: STDOUT_FILENO) }

  /// Writes lines whose text may contain anything, such as the name of a file. A line feed in `text` ends a line.
  static func writeLines(_ text: String, to descriptor: Int32) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    write(lines.map { String($0).printable + "\n" }.joined(), to: descriptor)
  }
}
