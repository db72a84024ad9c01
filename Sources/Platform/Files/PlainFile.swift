import Glibc

/// A plain file that is open for reading: no folder, no link, which may lead anywhere, and no pipe, which may never end.
package struct PlainFile {
  package let file: OpenFile
  package let path: String
  package let byteCount: Int64

  /// - Throws: `NoPlainFile` that says why there is none.
  package init(path: String) throws(NoPlainFile) {
    // A C string ends at a NUL.
    guard !path.hasNUL else { throw NoPlainFile("its path contains a NUL character") }
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    if descriptor < 0 && errno == ENOENT { throw NoPlainFile("there is no file \(path)") }
    if descriptor < 0 && errno == ELOOP { throw NoPlainFile("\(path) is not a plain file") }
    guard descriptor >= 0 else { throw NoPlainFile("\(path) cannot be read: \(String(cString: strerror(errno)))") }
    file = OpenFile(owning: descriptor)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw NoPlainFile("\(path) is not a plain file")
    }
    self.path = path
    byteCount = Int64(status.st_size)
  }
}

/// Why a file cannot be used.
package struct NoPlainFile: Error {
  /// The end of a sentence such as "The photo has no content: …".
  package let reason: String

  package init(_ reason: String) {
    self.reason = reason
  }
}
