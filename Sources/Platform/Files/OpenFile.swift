package import Glibc

/// An open file, closed when it is released. `FileSystem` reads and writes it, and a `PlainFile` is one that is no
/// folder, link or pipe.
package final class OpenFile: Sendable {
  package let descriptor: Int32

  package init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Opens or creates a file (open(2)).
  package convenience init(_ path: String, _ flags: Int32, permissions: mode_t = 0) throws(FileError) {
    let descriptor = open(path, flags | O_CLOEXEC, permissions)
    guard descriptor >= 0 else { throw FileError("open", path) }
    self.init(owning: descriptor)
  }

  deinit {
    close(descriptor)
  }
}
