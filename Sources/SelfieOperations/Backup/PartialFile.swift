import Glibc
package import Platform

/// A file that gets its name only once it is complete. Until then it is `.NAME.partial`. `FileSystem` in Platform
/// replaces small files.
package struct PartialFile {
  package let file: OpenFile
  package let path: String

  /// Makes a file. Returns once it is on the disk under its name; after an error nothing of it remains.
  ///
  /// - Parameters:
  ///   - replaces: whether to replace an existing file, once the new one is complete.
  ///   - advice: what else an owner may do whose file exists.
  ///   - body: returns once the file is complete and on the disk.
  package static func make<Result>(
    _ target: String, replaces: Bool, advice: String = "or pass --force to replace it",
    _ body: (PartialFile) throws -> Result
  ) throws -> Result {
    try check(target, replaces, advice)
    let partial = try PartialFile(for: target)
    let result: Result
    do {
      result = try body(partial)
      try check(target, replaces, advice)
      if replaces {
        try FileSystem.rename(partial.path, to: target)
      } else {
        try FileSystem.renameWithoutReplacing(partial.path, to: target)
      }
    } catch {
      unlink(partial.path)
      throw error
    }
    try FileSystem.syncFolder(FileSystem.parent(of: target))
    return result
  }

  /// A warning if others can read a complete file.
  package static func warning(_ target: String) -> String? {
    (try? FileSystem.status(target)).flatMap { $0.permissions & 0o077 == 0 ? nil : StoragePermissions.ignored(target) }
  }

  private static func check(_ target: String, _ replaces: Bool, _ advice: String) throws {
    guard let status = try FileSystem.status(target) else { return }
    guard status.kind != .folder else { throw OperationError("\(target) is a folder. Name a file in it.") }
    guard status.kind == .file else { throw OperationError("\(target) is not a plain file.") }
    guard replaces else {
      throw OperationError("\(target) already exists. Choose another name, \(advice).")
    }
  }

  /// Replaces the file of an earlier attempt, unless that is still running.
  private init(for target: String) throws {
    path = "\(FileSystem.parent(of: target))/.\(target.split(separator: "/").last ?? "").partial"
    while true {
      let file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600)
      // A file system without locks cannot keep out another attempt.
      guard flock(file.descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
        throw OperationError("\(path) is being written by another process.")
      }
      // Between the two calls the other attempt may have ended and renamed the file. Then this is the lock of its
      // complete file.
      guard try FileSystem.status(path)?.inode == FileSystem.status(of: file, path: path).inode else { continue }
      guard ftruncate(file.descriptor, 0) == 0, fchmod(file.descriptor, 0o600) == 0 else {
        throw FileError("ftruncate", path)
      }
      self.file = file
      return
    }
  }

  /// Returns once the bytes are on the disk, from where they are read the next time.
  package func sync() throws {
    try FileSystem.sync(file, path: path)
    posix_fadvise(file.descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }
}
