import Glibc

/// Folders with all that is in them.
package enum FileTree {
  /// Removes a folder, or a file, as far as that is possible; links are removed, and not followed.
  package static func remove(_ path: String) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in names(in: path) { remove("\(path)/\(name)") }
    rmdir(path)
  }

  /// The names in a folder; none where it cannot be read.
  package static func names(in path: String) -> [String] {
    (try? FileSystem.names(in: path)) ?? []
  }
}
