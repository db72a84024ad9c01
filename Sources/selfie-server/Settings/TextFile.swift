import Glibc

/// Small files of text.
enum TextFile {
  struct Failure: Error, CustomStringConvertible {
    let number: Int32

    init(number: Int32 = errno) { self.number = number }

    var description: String { String(cString: strerror(number)) }
  }

  /// More than any configuration.
  private static let mostBytes = 1024 * 1024

  /// What is in a file, up to a megabyte; nil when there is none.
  static func read(_ path: String) throws(Failure) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0 && (errno == ENOENT || errno == ENOTDIR) { return nil }
    guard descriptor >= 0 else { throw Failure() }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 16 * 1024)
    while bytes.count < mostBytes {
      let count = Glibc.read(descriptor, &block, block.count)
      if count < 0 { throw Failure() }
      if count == 0 { break }
      bytes += block[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Makes a file that only its owner may read. There is always either nothing or the whole of it.
  static func create(_ path: String, _ text: String) throws(Failure) {
    let temporary = "\(path).\(getpid())"
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure() }
    let bytes = Array(text.utf8)
    let isWritten = write(descriptor, bytes, bytes.count) == bytes.count && fsync(descriptor) == 0
    guard isWritten, rename(temporary, path) == 0 else {
      let failure = Failure()
      close(descriptor)
      unlink(temporary)
      throw failure
    }
    close(descriptor)
  }
}
