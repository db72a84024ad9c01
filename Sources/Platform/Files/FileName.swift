import Glibc

/// A name in a folder. It is bytes, which need not be UTF-8.
package struct FileName: Sendable, Equatable {
  /// Without a NUL.
  let bytes: [UInt8]

  /// Nil if it is not UTF-8.
  package var text: String? { String(validating: bytes, as: UTF8.self) }

  /// For people: what is not UTF-8, and what could end a line or control a terminal, is escaped.
  package var printable: String { String(printable: bytes) }

  /// This name and a number.
  package func numbered(_ number: Int) -> FileName { FileName(bytes: bytes + ".\(number)".utf8) }

  fileprivate func path(in folder: [CChar]) -> [CChar] {
    folder.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + bytes.map { CChar(bitPattern: $0) } + [0]
  }
}

/// Operations on names that may not be UTF-8.
extension FileSystem {
  /// The names in a folder.
  package static func fileNames(in folder: String) throws(FileError) -> [FileName] {
    try fileNames(in: Array(folder.utf8CString))
  }

  /// Nil if there is nothing of this name.
  package static func status(_ name: FileName, in folder: String) throws(FileError) -> FileStatus? {
    try status(name.path(in: Array(folder.utf8CString)))
  }

  package static func setPermissions(
    _ name: FileName, in folder: String, _ permissions: UInt32
  ) throws(FileError) {
    let path = name.path(in: Array(folder.utf8CString))
    guard chmod(path, permissions) == 0 else { throw error("chmod", path) }
  }

  /// Removes a file if there is one.
  package static func remove(_ name: FileName, in folder: String) throws(FileError) {
    try remove(name.path(in: Array(folder.utf8CString)))
  }

  /// Moves a file to another folder, under a name that may be another.
  package static func move(
    _ name: FileName, in folder: String, to newFolder: String, as newName: FileName
  ) throws(FileError) {
    let (path, newPath) = (name.path(in: Array(folder.utf8CString)), newName.path(in: Array(newFolder.utf8CString)))
    guard Glibc.rename(path, newPath) == 0 else { throw error("rename", newPath) }
  }

  /// Removes a file, or a folder with everything in it; there may be none. Symbolic links are not followed. Continues
  /// after an error, so that as much as possible goes, and throws the last one.
  package static func removeTree(_ path: String) throws(FileError) {
    try removeTree(Array(path.utf8CString))
  }

  private static func removeTree(_ path: [CChar]) throws(FileError) {
    guard try status(path)?.kind == .folder else {
      try remove(path)
      return
    }
    var failure: FileError?
    for name in try fileNames(in: path) {
      do throws(FileError) { try removeTree(name.path(in: path)) } catch { failure = error }
    }
    guard rmdir(path) == 0 else { throw failure ?? error("rmdir", path) }
  }

  private static func fileNames(in path: [CChar]) throws(FileError) -> [FileName] {
    guard let folder = opendir(path) else { throw error("opendir", path) }
    defer { closedir(folder) }
    var names: [FileName] = []
    while true {
      errno = 0
      guard let entry = readdir(folder) else {
        guard errno == 0 else { throw error("readdir", path) }
        return names
      }
      let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if bytes != Array(".".utf8) && bytes != Array("..".utf8) { names.append(FileName(bytes: bytes)) }
    }
  }

  static func status(_ path: [CChar]) throws(FileError) -> FileStatus? {
    var status = stat()
    if lstat(path, &status) == 0 { return FileStatus(status) }
    guard errno == ENOENT else { throw error("lstat", path) }
    return nil
  }

  @discardableResult
  static func remove(_ path: [CChar]) throws(FileError) -> Bool {
    if unlink(path) == 0 { return true }
    guard errno == ENOENT else { throw error("unlink", path) }
    return false
  }

  private static func error(_ call: String, _ path: [CChar]) -> FileError {
    FileError(call, String(printable: path.dropLast().map { UInt8(bitPattern: $0) }), number: errno)
  }
}
