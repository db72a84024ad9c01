import Platform
import SelfieAPI

/// What a check of the storage asks of the photos' folders.
extension PhotoFiles {
  /// Everything in `photos/`.
  func names() throws(FileError) -> [String] { try FileSystem.names(in: layout.photos) }

  /// Everything in a folder of photos.
  func names(inFolder folder: String) throws(FileError) -> [String] {
    try FileSystem.names(in: "\(layout.photos)/\(folder)")
  }

  func status(inPhotos name: String) throws(FileError) -> FileStatus? {
    try FileSystem.status("\(layout.photos)/\(name)")
  }

  /// Whether an upload of this id is under way.
  func isIncoming(_ id: String) throws(FileError) -> Bool { try FileSystem.exists(layout.upload(id)) }

  /// The files in `incoming/`, and when each was written to last, in unix seconds.
  func uploads() throws(FileError) -> [(name: String, modifiedAt: Int64)] {
    var uploads: [(name: String, modifiedAt: Int64)] = []
    for name in try FileSystem.names(in: layout.incoming) {
      guard let status = try FileSystem.status(layout.upload(name)), status.kind != .folder else { continue }
      uploads.append((name, status.modifiedAt))
    }
    return uploads
  }

  /// Moves what does not belong where it is to `lost+found/`, and returns its new place; both are paths as seen from
  /// the storage folder.
  func setAside(_ path: String) throws(FileError) -> String {
    let folder = StorageLayout.lostAndFound
    if try FileSystem.makeFolder(layout.lostAndFound) { try FileSystem.syncFolder(layout.folder) }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    var place = "\(folder)/\(name)"
    var number = 1
    while try FileSystem.exists(layout.path(place)) {
      number += 1
      place = "\(folder)/\(name).\(number)"
    }
    try FileSystem.rename(layout.path(path), to: layout.path(place))
    try FileSystem.syncFolder(layout.lostAndFound)
    return place
  }
}
