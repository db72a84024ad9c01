import Platform

/// The folder of `--seed-folder`. Requests may name the files below it by path, and no others.
public struct SeedFolder: Sendable {
  /// Without symbolic links.
  private let path: String

  /// - Returns: nil when there is no such folder.
  public init?(_ path: String) {
    guard FileSystem.isFolder(path), let path = FileSystem.realPath(path) else { return nil }
    self.path = path
  }

  /// Opens a file below the folder. A symbolic link may be on the way, but must not lead out of the folder.
  ///
  /// - Parameter name: a path, which begins at the folder unless it begins with a slash.
  /// - Throws: one error for a file elsewhere and for none, so that clients do not learn which files the machine has.
  func open(_ name: String) throws(NoPlainFile) -> PlainFile {
    let elsewhere = NoPlainFile("there is no file \(name) below the folder of --seed-folder")
    let joined = name.hasPrefix("/") ? name : "\(path)/\(name)"
    guard let resolved = FileSystem.realPath(joined), contains(resolved) else { throw elsewhere }
    let file = try PlainFile(path: resolved)
    // A folder on the way may have been replaced by a link since, so what counts is where the open file is.
    guard let opened = FileSystem.realPath("/proc/self/fd/\(file.file.descriptor)"), contains(opened) else {
      throw elsewhere
    }
    return file
  }

  private func contains(_ resolved: String) -> Bool {
    resolved.hasPrefix(path == "/" ? path : "\(path)/")
  }
}
