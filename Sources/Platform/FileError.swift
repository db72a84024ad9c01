import Glibc

/// A system call on a file that failed.
public struct FileError: Error, CustomStringConvertible {
  public let call: String
  public let path: String
  public let number: Int32

  package init(_ call: String, _ path: String, number: Int32 = errno) {
    self.call = call
    self.path = path
    self.number = number
  }

  /// The disk, or what its owner may use of it, is full.
  public var isDiskFull: Bool { number == ENOSPC || number == EDQUOT || number == EFBIG }

  /// There is something of the new name already.
  package var isFileThere: Bool { number == EEXIST }

  /// The name, or a folder on the way to it, is not there.
  package var isNothingThere: Bool { number == ENOENT }

  /// The file has as many names as its file system allows: 65,000 on ext4.
  package var isLinkedTooOften: Bool { number == EMLINK }

  /// Why it failed, in the system's words.
  package var reason: String { String(cString: strerror(number)) }

  /// What failed and why, but not where: a photo's path ends in its id, which is secret.
  public var withoutPath: String { "\(call): \(reason)" }

  public var description: String { "\(call) \(path): \(reason)" }
}
