import Glibc
import HTTPMessages
import Platform
import SelfieAPI

/// A file that gets its name only when it is whole: until then it is `NAME.partial`.
final class PartialFile {
  let file: OpenFile
  let path: String
  private let target: String

  /// Takes over what an earlier attempt has left, unless that is still under way.
  init(for target: String) throws {
    self.target = target
    path = "\(target).partial"
    while true {
      let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
      guard descriptor >= 0 else { throw FileError("open", path) }
      let file = OpenFile(owning: descriptor)
      // Where the file system knows no locks, nobody is kept out.
      if flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { throw UnderWay(path: path) }
      // Between the two calls it may have been finished: the lock is then one of the whole file.
      guard try Self.isName(path, of: file) else { continue }
      guard ftruncate(descriptor, 0) == 0, fchmod(descriptor, 0o600) == 0 else { throw FileError("ftruncate", path) }
      self.file = file
      return
    }
  }

  private static func isName(_ path: String, of file: OpenFile) throws -> Bool {
    var (named, opened) = (stat(), stat())
    guard fstat(file.descriptor, &opened) == 0 else { throw FileError("fstat", path) }
    return lstat(path, &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev
  }

  /// The file is whole and on the disk: returns when its name is, too.
  func commit() throws {
    try FileSystem.rename(path, to: target)
    try FileSystem.syncFolder(FileSystem.parent(of: target))
  }

  /// Nothing of it shall remain.
  func discard() {
    unlink(path)
  }

  private struct UnderWay: Error, CustomStringConvertible {
    let path: String
    var description: String { "\(path) is being written by another backup." }
  }
}
