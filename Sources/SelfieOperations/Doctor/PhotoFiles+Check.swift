import Platform
import SelfieAPI

/// What a check of the storage asks of the photos' folders. Their names may be anything.
extension PhotoFiles {
  /// Everything in `photos/`.
  func names() throws(FileError) -> [FileName] { try FileSystem.fileNames(in: layout.photos) }

  /// Everything in a folder of photos.
  func names(inFolder folder: String) throws(FileError) -> [FileName] {
    try FileSystem.fileNames(in: "\(layout.photos)/\(folder)")
  }

  /// Whether an upload of this id is under way.
  func isIncoming(_ id: String) throws(FileError) -> Bool { try FileSystem.exists(layout.upload(id)) }

  /// The files in `incoming/`, and when each was written to last, in unix seconds.
  func uploads() throws(FileError) -> [(name: FileName, modifiedAt: Int64)] {
    var uploads: [(name: FileName, modifiedAt: Int64)] = []
    for name in try FileSystem.fileNames(in: layout.incoming) {
      guard let status = try FileSystem.status(name, in: layout.incoming), status.kind != .folder else { continue }
      uploads.append((name, status.modifiedAt))
    }
    return uploads
  }

  /// False if something other than a folder has the name of `lost+found/`, such as a symbolic link, which may lead
  /// anywhere.
  var canSetAside: Bool {
    get throws(FileError) { try FileSystem.status(layout.lostAndFound).map { $0.kind == .folder } ?? true }
  }

  /// Moves what does not belong where it is to `lost+found/`, and returns its new place as seen from the storage folder.
  ///
  /// - Parameter folder: as seen from the storage folder.
  func setAside(_ name: FileName, in folder: String) throws(FileError) -> String {
    if try FileSystem.makeFolder(layout.lostAndFound) { try FileSystem.syncFolder(layout.folder) }
    var newName = name
    var number = 1
    while try FileSystem.status(newName, in: layout.lostAndFound) != nil {
      number += 1
      newName = name.numbered(number)
    }
    try FileSystem.move(name, in: layout.path(folder), to: layout.lostAndFound, as: newName)
    for folder in [layout.lostAndFound, layout.path(folder)] { try FileSystem.syncFolder(folder) }
    return "\(StorageLayout.lostAndFound)/\(newName.printable)"
  }
}
