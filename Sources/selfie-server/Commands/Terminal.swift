import Glibc

/// Writes text without a buffer, so that a program that reads it through a pipe gets it at once.
enum Terminal {
  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
