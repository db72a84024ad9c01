import Glibc

/// A path: a text or, since it need not be UTF-8, what the system takes.
package protocol FilePath {
  var cString: [CChar] { get }
}

extension String: FilePath {
  package var cString: [CChar] { Array(utf8CString) }
}

extension [CChar]: FilePath {
  package var cString: [CChar] { self }
}

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

  package func path(in folder: some FilePath) -> [CChar] {
    folder.cString.dropLast() + [CChar(bitPattern: UInt8(ascii: "/"))] + bytes.map { CChar(bitPattern: $0) } + [0]
  }
}

/// Operations on paths that may not be UTF-8.
extension FileSystem {
  /// The names in a folder.
  package static func fileNames(in path: some FilePath) throws(FileError) -> [FileName] {
    guard let folder = opendir(path.cString) else { throw error("opendir", path) }
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

  /// The status of a name, without following a symbolic link; nil if it does not exist.
  package static func status(_ path: some FilePath) throws(FileError) -> FileStatus? {
    var status = stat()
    if lstat(path.cString, &status) == 0 { return FileStatus(status) }
    guard errno == ENOENT else { throw error("lstat", path) }
    return nil
  }

  /// - Parameter permissions: the lower nine bits of the mode.
  package static func setPermissions(_ path: some FilePath, _ permissions: UInt32) throws(FileError) {
    guard chmod(path.cString, permissions) == 0 else { throw error("chmod", path) }
  }

  package static func rename(_ path: some FilePath, to newPath: some FilePath) throws(FileError) {
    guard Glibc.rename(path.cString, newPath.cString) == 0 else { throw error("rename", newPath) }
  }

  /// Removes a file; false if there was none.
  @discardableResult
  package static func remove(_ path: some FilePath) throws(FileError) -> Bool {
    if unlink(path.cString) == 0 { return true }
    guard errno == ENOENT else { throw error("unlink", path) }
    return false
  }

  /// Removes a file, or a folder with everything in it; there may be none. Symbolic links are not followed. Continues
  /// after an error, so that as much as possible goes, and throws the last one.
  package static func removeTree(_ path: some FilePath) throws(FileError) {
    guard try status(path)?.kind == .folder else {
      try remove(path)
      return
    }
    var failure: FileError?
    for name in try fileNames(in: path) {
      do throws(FileError) { try removeTree(name.path(in: path)) } catch { failure = error }
    }
    guard rmdir(path.cString) == 0 else { throw failure ?? error("rmdir", path) }
  }

  private static func error(_ call: String, _ path: some FilePath) -> FileError {
    let number = errno
    return FileError(call, String(printable: path.cString.dropLast().map { UInt8(bitPattern: $0) }), number: number)
  }
}
