import Glibc

/// Text for people, written at once: what reads it through a pipe must not wait for a buffer to fill.
enum Terminal {
  static func write(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }
}
