import Cryptography
import Glibc
import HTTPMessages
import Platform

/// What a check of the storage asks of the photos' folders.
extension PhotoFiles {
  /// Where a photo is, as seen from the storage folder.
  package static func relativePath(of id: String) -> String { "photos/\(id.prefix(2))/\(id)" }

  /// Whether it could be a folder of photos: the first two letters of an id.
  package static func isFolderName(_ name: String) -> Bool {
    name.utf8.count == 2 && name.utf8.allSatisfy(\.isASCIILetter)
  }

  /// Everything in `photos/`.
  package func names() throws(FileError) -> [String] { try FileSystem.names(in: photos) }

  /// Everything in a folder of photos.
  package func names(inFolder folder: String) throws(FileError) -> [String] {
    try FileSystem.names(in: "\(photos)/\(folder)")
  }

  package func status(inPhotos name: String) throws(FileError) -> FileStatus? {
    try FileSystem.status("\(photos)/\(name)")
  }

  /// Nil when the photo has no file.
  package func status(_ id: String) throws(FileError) -> FileStatus? { try FileSystem.status(path(of: id)) }

  /// Whether an upload of this id is under way.
  package func isIncoming(_ id: String) throws(FileError) -> Bool { try FileSystem.exists("\(incoming)/\(id)") }

  /// The files in `incoming/`, and when each was written to last, in unix seconds.
  package func uploads() throws(FileError) -> [(name: String, modifiedAt: Int64)] {
    var uploads: [(name: String, modifiedAt: Int64)] = []
    for name in try FileSystem.names(in: incoming) {
      guard let status = try FileSystem.status("\(incoming)/\(name)"), status.kind != .folder else { continue }
      uploads.append((name, status.modifiedAt))
    }
    return uploads
  }

  /// The SHA-256 of a photo's file; nil when there is none.
  package func digest(of id: String) throws(FileError) -> [UInt8]? {
    let path = path(of: id)
    guard let file = try FileSystem.open(path) else { return nil }
    var digest = SHA256()
    var block = [UInt8](repeating: 0, count: 256 * 1024)
    while true {
      let count = read(file.descriptor, &block, block.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FileError("read", path) }
      if count == 0 { return digest.finish() }
      digest.update(block[..<count])
    }
  }

  /// Moves what does not belong where it is to `lost+found/`, and returns its new place; both are paths as seen from
  /// the storage folder.
  package func setAside(_ path: String) throws(FileError) -> String {
    let folder = "\(storage)/lost+found"
    if try FileSystem.makeFolder(folder) { try FileSystem.syncFolder(storage) }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    var place = "lost+found/\(name)"
    var number = 1
    while try FileSystem.exists("\(storage)/\(place)") {
      number += 1
      place = "lost+found/\(name).\(number)"
    }
    try FileSystem.rename("\(storage)/\(path)", to: "\(storage)/\(place)")
    try FileSystem.syncFolder(folder)
    return place
  }
}
