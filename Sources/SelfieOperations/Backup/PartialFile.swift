import Glibc
import Platform

/// A file that gets its name only once it is complete. Until then it is `NAME.partial`, which goes with this object.
public final class PartialFile {
  static let suffix = ".partial"

  package let file: OpenFile
  public let path: String
  private let target: String
  private var isCommitted = false

  /// Replaces the file of an earlier attempt, unless that is still running.
  public init(for target: String) throws {
    self.target = target
    path = target + Self.suffix
    while true {
      let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600)
      // A file system without locks cannot keep out another attempt.
      guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        throw OperationError("\(path) is being written by another process.")
      }
      // Between the two calls the other attempt may have ended and renamed the file. Then this is the lock of its
      // complete file.
      guard try Self.isName(path, of: file) else { continue }
      guard ftruncate(file.descriptor, 0) == 0, fchmod(file.descriptor, 0o600) == 0 else {
        throw FileError("ftruncate", path)
      }
      self.file = file
      return
    }
  }

  private static func isName(_ path: String, of file: OpenFile) throws -> Bool {
    var (named, opened) = (stat(), stat())
    guard fstat(file.descriptor, &opened) == 0 else { throw FileError("fstat", path) }
    return lstat(path, &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
  }

  /// Returns once the bytes are on the disk, from where they are read the next time.
  func sync() throws {
    try FileSystem.sync(file, path: path)
    posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }

  /// Gives the file its name, once it is complete and on the disk. Returns once the name is on the disk too.
  public func commit() throws {
    try FileSystem.rename(path, to: target)
    isCommitted = true
    try FileSystem.syncFolder(FileSystem.parent(of: target))
  }

  deinit {
    if !isCommitted { unlink(path) }
  }
}
