import CLinux
import Glibc

/// System calls on files. Their errors have the path. FileSystem+Contents.swift reads files and replaces small ones.
package enum FileSystem {
  /// Makes a folder; false if it exists already.
  package static func makeFolder(_ path: String) throws(FileError) -> Bool {
    if mkdir(path, 0o700) == 0 { return true }
    guard errno == EEXIST else { throw FileError("mkdir", path) }
    guard isFolder(path) else { throw FileError("mkdir", path, number: ENOTDIR) }
    return false
  }

  /// The path without symbolic links, `.` and `..` (realpath(3)); nil if it leads nowhere.
  package static func realPath(_ path: String) -> String? {
    // A C string ends at a NUL.
    guard !path.hasNUL, let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// Whether a folder is another one, or is in it.
  package static func isInside(_ path: String, _ folder: String) -> Bool {
    "\(realPath(path) ?? path)/".hasPrefix("\(realPath(folder) ?? folder)/")
  }

  /// Whether a path, or the symbolic link there, leads to a folder.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The first part of a path that is there and no folder, so that no folder can be made; nil if there is none.
  package static func obstacle(to path: String) -> String? {
    let ends = path.indices.dropFirst().filter { path[$0] == "/" } + [path.endIndex]
    return ends.lazy.map { String(path[..<$0]) }.first { access($0, F_OK) == 0 && !isFolder($0) }
  }

  /// A new file to write to, readable by its owner only.
  package static func create(_ path: String) throws(FileError) -> OpenFile {
    try OpenFile(path, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600)
  }

  /// A plain file to read from, to which a symbolic link may lead; nil if there is none.
  package static func open(_ path: String) throws(FileError) -> OpenFile? {
    try PlainFile(at: path, followsLink: true)?.file
  }

  /// Writes all of the bytes.
  package static func write(_ bytes: ArraySlice<UInt8>, to file: OpenFile, path: String) throws(FileError) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(FileError) in
      var written = 0
      while written < bytes.count {
        let rest = UnsafeBufferPointer(rebasing: bytes[written...])
        let count = Glibc.write(file.descriptor, rest.baseAddress, rest.count)
        if count < 0 && errno == EINTR { continue }
        guard count >= 0 else { throw FileError("write", path) }
        written += count
      }
    }
  }

  /// Returns once the file is on the disk.
  package static func sync(_ file: OpenFile, path: String) throws(FileError) {
    guard fsync(file.descriptor) == 0 else { throw FileError("fsync", path) }
  }

  /// Returns once the names in a folder are on the disk.
  package static func syncFolder(_ path: String) throws(FileError) {
    try sync(OpenFile(path, O_RDONLY | O_DIRECTORY), path: path)
  }

  /// Gives a file a second name.
  package static func link(_ path: some FilePath, to newPath: some FilePath) throws(FileError) {
    guard Glibc.link(path.cString, newPath.cString) == 0 else { throw error("link", newPath) }
  }

  package static func exists(_ path: String) throws(FileError) -> Bool {
    try status(path) != nil
  }

  /// The names in a folder, with U+FFFD for what is not UTF-8.
  package static func names(in path: String) throws(FileError) -> [String] {
    try fileNames(in: path).map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Bytes that can still be written to the file system of a path.
  package static func freeBytes(at path: String) throws(FileError) -> Int64 {
    try bytes(of: \.f_bavail, at: path)
  }

  /// The size of a file system.
  package static func diskBytes(at path: String) throws(FileError) -> Int64 {
    try bytes(of: \.f_blocks, at: path)
  }

  /// Whether hardly any file can be created in a folder for lack of inodes. An upload takes a few, and gives them back if
  /// it fails. Some file systems, such as btrfs, have no limit.
  package static func lacksInodes(at path: String) -> Bool {
    var status = statvfs()
    return statvfs(path, &status) == 0 && status.f_files > 0 && status.f_favail < 16
  }

  /// The kind of file system of a path, if it may pass on no locks, or share no memory with others (statfs(2)).
  package static func remoteKind(of path: String) -> String? {
    clinux_remote_file_system(path).map { String(cString: $0) }
  }

  /// Says that a folder is in a container's own layer; nil if it is not.
  ///
  /// - Parameter setting: names the folder.
  package static func layerWarning(_ setting: String, _ path: String) -> String? {
    guard clinux_is_on_overlay(path) != 0 else { return nil }
    return """
      \(setting) is \(path), in the container's own layer (overlayfs), which is deleted with the container. Mount a volume \
      there: docker run -v NAME:\(realPath(path) ?? path)
      """
  }

  private static func bytes(of blocks: KeyPath<statvfs, UInt>, at path: String) throws(FileError) -> Int64 {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { throw FileError("statvfs", path) }
    let (bytes, isOverflow) = Int64(clamping: status[keyPath: blocks]).multipliedReportingOverflow(
      by: Int64(clamping: status.f_frsize))
    return isOverflow ? .max : bytes
  }

  package static func status(of file: OpenFile, path: String) throws(FileError) -> FileStatus {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { throw FileError("fstat", path) }
    return FileStatus(status)
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

  /// Renames a file or folder, unless the new name is taken.
  ///
  /// - Throws: `FileError` with `EEXIST` if it is.
  package static func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileError) {
    guard clinux_rename_without_replacing(path, newPath) == 0 else { throw FileError("rename", newPath) }
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
