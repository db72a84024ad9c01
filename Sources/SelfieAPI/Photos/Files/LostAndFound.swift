import Glibc
package import Platform

/// `lost+found/`: where a start or a repair moves whatever it takes away. Nothing in it is ever replaced or removed.
package struct LostAndFound: Sendable {
  private let layout: StorageLayout

  package init(_ layout: StorageLayout) {
    self.layout = layout
  }

  /// False if something other than a folder has the name, such as a symbolic link, which may lead anywhere.
  package var isUsable: Bool {
    get throws(FileError) { try FileSystem.status(layout.lostAndFound).map { $0.kind == .folder } ?? true }
  }

  /// Moves a file or a folder here, and returns its new place as seen from the storage folder.
  ///
  /// - Parameters:
  ///   - folder: as seen from the storage folder.
  ///   - keepsName: whether a file, which is no folder then, keeps its old name until the caller removes it. After a crash
  ///     it can be taken again, and has the place of the first time.
  package func take(_ name: FileName, from folder: String, keepsName: Bool = false) throws(FileError) -> String {
    let place = try makeFolder()
    let target = layout.path(place)
    let path = name.path(in: layout.path(folder))
    // That of its place after a crash.
    let inode = keepsName ? try FileSystem.status(path)?.inode : nil
    var newName = name
    var number = 1
    while let other = try FileSystem.status(newName.path(in: target)), other.inode != inode {
      number += 1
      newName = name.numbered(number)
    }
    let newPath = newName.path(in: target)
    if !keepsName {
      try FileSystem.rename(path, to: newPath)
    } else if try FileSystem.status(newPath) == nil {
      try FileSystem.link(path, to: newPath)
    }
    for folder in [target, layout.path(folder)] { try FileSystem.syncFolder(folder) }
    return "\(place)/\(newName.printable)"
  }

  /// Appends rows of a table to a file of its name, and returns the file's place as seen from the storage folder once
  /// they are on the disk.
  ///
  /// - Parameter rows: a JSON object each.
  package func add(_ rows: [String], of table: String) throws(FileError) -> String {
    let place = "\(try makeFolder())/\(table).jsonl"
    let path = layout.path(place)
    let file = try OpenFile(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, permissions: 0o600)
    try FileSystem.write(Array(rows.map { $0 + "\n" }.joined().utf8)[...], to: file, path: path)
    try FileSystem.sync(file, path: path)
    try FileSystem.syncFolder(FileSystem.parent(of: path))
    return place
  }

  /// Returns the folder's name. A file system's own folder of this name is root's, so that another is taken.
  private func makeFolder() throws(FileError) -> String {
    let isForeign = try FileSystem.exists(layout.lostAndFound) && access(layout.lostAndFound, R_OK | W_OK | X_OK) != 0
    let place = isForeign ? "\(StorageLayout.lostAndFound).selfie" : StorageLayout.lostAndFound
    if try FileSystem.makeFolder(layout.path(place)) { try FileSystem.syncFolder(layout.folder) }
    return place
  }
}
