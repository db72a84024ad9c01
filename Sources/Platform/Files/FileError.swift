import Glibc

/// A system call on a file that failed. Unlike `SystemError` it has a path, which must not always be shown.
package struct FileError: Error, CustomStringConvertible {
  package let call: String
  package let path: String
  package let number: Int32

  package init(_ call: String, _ path: String, number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// The disk, or the owner's quota, is full.
  package var isDiskFull: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }

  /// In place of a number of the system, which has none for this.
  package static let notPlain: Int32 = -1

  /// Why it failed, in the system's words where it has some.
  package var reason: String {
    guard number != Self.notPlain else { return "Not a plain file" }
    guard number == EACCES, let (what, owner) = ofOthers else { return String(cString: strerror(number)) }
    return "Permission denied (\(what) belongs to user \(owner), and user \(geteuid()) runs this)"
  }

  /// The file, or the innermost folder of it that can be looked at, if another user owns that.
  private var ofOthers: (what: String, owner: uid_t)? {
    var status = stat()
    var (path, what) = (path, "it")
    while stat(path, &status) != 0 {
      guard errno == EACCES, let slash = path.lastIndex(of: "/") else { return nil }
      (path, what) = (String(path[..<slash]), "its folder")
    }
    return status.st_uid == geteuid() ? nil : (what, status.st_uid)
  }

  /// For an owner, who does not know system calls: what cannot be done with which file, and why.
  package var inWords: String {
    let effect =
      switch call {
      case "mkdir", "mkdtemp", "mkfifo": "created"
      case "write", "fsync", "ftruncate", "posix_fallocate": "written"
      case "rename", "link", "symlink": "given its name"
      case "unlink", "rmdir": "removed"
      case "chmod": "restricted"
      default: "read"
      }
    return "\(path) cannot be \(effect): \(reason)"
  }

  /// The description without the path: a photo's path ends in its id, which is secret.
  package var withoutPath: String { "\(call): \(reason)" }

  package var description: String { "\(call) \(path): \(reason)" }
}
