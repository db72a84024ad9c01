import Glibc

/// A plain file that is open for reading: no folder, no link, which may lead anywhere, and no pipe, which may never
/// end. An `OpenFile` may also be one of those.
package struct PlainFile {
  package let file: OpenFile
  package let path: String
  package let byteCount: Int64

  /// Opens a file without waiting, as for the writer of a named pipe. Nil if there is none.
  ///
  /// - Parameter followsLink: whether the file may be one that a symbolic link of this name leads to.
  /// - Throws: also for anything but a plain file, with `FileError.notPlain`.
  package init?(at path: String, followsLink: Bool) throws(FileError) {
    let descriptor = Glibc.open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | (followsLink ? 0 : O_NOFOLLOW))
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      // A socket, and a symbolic link.
      case ENXIO, ELOOP: throw FileError("open", path, number: FileError.notPlain)
      default: throw FileError("open", path)
      }
    }
    file = OpenFile(owning: descriptor)
    let status = try FileSystem.status(of: file, path: path)
    switch status.kind {
    case .file: break
    case .folder: throw FileError("open", path, number: EISDIR)
    case .other: throw FileError("open", path, number: FileError.notPlain)
    }
    self.path = path
    byteCount = status.byteCount
  }

  /// - Throws: also if there is none.
  package init(path: String) throws(FileError) {
    guard let file = try PlainFile(at: path, followsLink: false) else { throw FileError("open", path, number: ENOENT) }
    self = file
  }
}
