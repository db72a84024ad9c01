import Glibc
import HTTPMessages
import Platform

/// The photos' bytes: `photos/ab/<random_id>`, and uploads under way in `incoming/`. Everything here waits for the
/// disk.
///
/// A file has a name in `incoming/` from its first byte until its row is known to be committed, beside the one in
/// `photos/` that it is given in between. So whatever instant a crash picks, a file that may be without a row can be
/// found by looking at the few names in `incoming/`, and never at all of `photos/`.
public struct PhotoFiles: Sendable {
  package let storage: String
  package let photos: String
  let incoming: String
  private let durableFolders = DurableFolders()

  /// Whether what is written is synced.
  package let isDurable: Bool

  /// - Parameters:
  ///   - storage: the folder of everything that is kept.
  ///   - isDurable: false for photos that need not outlive the machine's power: nothing is synced.
  public init(storage: String, isDurable: Bool = true) {
    self.storage = storage
    self.isDurable = isDurable
    photos = "\(storage)/photos"
    incoming = "\(storage)/incoming"
  }

  /// Makes the folders, unless they are there.
  ///
  /// - Throws: `FileError` where they cannot be made, `NoHardLinks` where a file cannot have a name in each. File
  ///   systems without hard links (FAT, some network ones) have neither permissions nor a journal either, so another
  ///   order of steps, without links, would not keep the promise there.
  public func prepare() throws {
    try makeFolders()
    try syncNamesInPhotos()
    let (name, link) = ("\(incoming)/\(Self.probeName)", "\(photos)/\(Self.probeName)")
    for path in [name, link] { try FileSystem.remove(path) }
    _ = try FileSystem.create(name)
    defer { unlink(name) }
    do throws(FileError) {
      try FileSystem.link(name, to: link)
    } catch {
      throw NoHardLinks(storage: storage, cause: error)
    }
    try FileSystem.remove(link)
  }

  private func makeFolders() throws(FileError) {
    for folder in [photos, incoming] where try makeFolder(folder) { try syncName(of: folder, in: storage) }
  }

  /// Makes a folder unless it is there; true when its name is yet to be synced.
  private func makeFolder(_ path: String) throws(FileError) -> Bool {
    if try FileSystem.makeFolder(path) { durableFolders.remove(path) }
    return !durableFolders.contains(path)
  }

  private func syncName(of path: String, in folder: String) throws(FileError) {
    try syncFolder(folder)
    durableFolders.insert(path)
  }

  /// Saves the first upload into each folder a sync.
  private func syncNamesInPhotos() throws(FileError) {
    let names = try FileSystem.names(in: photos)
    try syncFolder(photos)
    for name in names { durableFolders.insert("\(photos)/\(name)") }
  }

  /// Makes the folder that a photo's file is in, and those around it.
  package func makeFolder(of id: String) throws(FileError) {
    let folder = folder(of: id)
    _ = try remaking { () throws(FileError) in try makeFolder(folder) }
  }

  /// Returns when the names of these photos, and of their folders, are on the disk.
  func syncFolders(of ids: [String]) throws(FileError) {
    guard isDurable else { return }
    for folder in Set(ids.map(folder)) {
      try syncFolder(folder)
      if !durableFolders.contains(folder) { try syncName(of: folder, in: photos) }
    }
  }

  /// Tries once more what found no folder: one that somebody has removed is made again, since uploads need nothing that
  /// was in it.
  private func remaking<Result>(_ attempt: () throws(FileError) -> Result) throws(FileError) -> Result {
    do throws(FileError) {
      return try attempt()
    } catch {
      guard error.number == ENOENT else { throw error }
      try makeFolders()
      return try attempt()
    }
  }

  /// The file with which ``prepare()`` and ``probe()`` try what uploads need. What a crash leaves of it goes at the next
  /// start.
  package static let probeName = ".link"
  /// A block of most file systems, so that the disk has to find room for it.
  private static let probeBytes = [UInt8](repeating: 0, count: 4096)

  /// Does with a small file what an upload does with a photo, and leaves nothing. Never twice at the same time.
  func probe() throws(FileError) {
    let (name, link) = ("\(incoming)/\(Self.probeName)", "\(photos)/\(Self.probeName)")
    for path in [link, name] { try FileSystem.remove(path) }
    defer { for path in [link, name] { unlink(path) } }
    let file = try remaking { () throws(FileError) in try FileSystem.create(name) }
    try FileSystem.write(Self.probeBytes[...], to: file, path: name)
    try remaking { () throws(FileError) in try FileSystem.link(name, to: link) }
    if isDurable { try FileSystem.sync(file, path: name) }
  }

  /// Room for photos.
  func freeBytes() throws(FileError) -> Int64 { try FileSystem.freeBytes(at: storage) }

  // MARK: - Uploads

  /// The file of an upload, as far as it has come.
  package struct Partial: Sendable {
    fileprivate let file: OpenFile
  }

  /// Writes what has come of an upload; without a `partial` file it begins one.
  package func write(_ stretches: [ArraySlice<UInt8>], of id: String, to partial: Partial?) throws(FileError) -> Partial
  {
    let path = incomingPath(of: id)
    let partial =
      if let partial { partial } else {
        Partial(file: try remaking { () throws(FileError) in try FileSystem.create(path) })
      }
    for bytes in stretches { try FileSystem.write(bytes, to: partial.file, path: path) }
    return partial
  }

  /// Gives a whole file its place, and returns when bytes and names are on the disk. Its row may be written now, and
  /// then ``confirm(_:)`` or ``discard(_:)`` is due. On an error nothing of the upload remains, or what the next start removes.
  package func place(_ partial: Partial, as id: String) throws(FileError) {
    let folder = folder(of: id)
    let isUnsynced: Bool
    do throws(FileError) {
      isUnsynced = try remaking { () throws(FileError) in try makeFolder(folder) }
      // Before the file's sync, so that one commit of the file system's journal takes the bytes and both names.
      try FileSystem.link(incomingPath(of: id), to: path(of: id))
    } catch {
      // What may be at its place is another photo.
      _ = try? FileSystem.remove(incomingPath(of: id))
      throw error
    }
    do throws(FileError) {
      if isDurable { try FileSystem.sync(partial.file, path: path(of: id)) }
      try syncFolder(folder)
      if isUnsynced { try syncName(of: folder, in: photos) }
    } catch {
      try? discard(id)
      throw error
    }
  }

  /// The photo's row is committed, so that only its name in `photos/` is needed.
  package func confirm(_ id: String) throws(FileError) {
    try FileSystem.remove(incomingPath(of: id))
  }

  /// The photo has no row, and will have none.
  package func discard(_ id: String) throws(FileError) {
    // The name in `incoming/` stays until the other one is gone for good.
    if try FileSystem.remove(path(of: id)) { try syncFolder(folder(of: id)) }
    try FileSystem.remove(incomingPath(of: id))
  }

  /// Puts right what uploads left behind when the server last ended in the middle of them: what has a row is kept,
  /// all else goes. For a start, when no upload is under way.
  package func recoverUploads(hasRow: (_ id: String) throws -> Bool) throws {
    for name in try FileSystem.names(in: incoming) {
      guard Photo.isID(name.utf8) else {
        try removeForeign(name)
        continue
      }
      if try hasRow(name) {
        try restore(name)
        try confirm(name)
      } else {
        try discard(name)
      }
    }
  }

  /// Gives a file with a row its place once more, should a file system have lost that.
  private func restore(_ id: String) throws(FileError) {
    guard try !FileSystem.exists(path(of: id)) else { return }
    if try makeFolder(folder(of: id)) { try syncName(of: folder(of: id), in: photos) }
    try FileSystem.link(incomingPath(of: id), to: path(of: id))
    try syncFolder(folder(of: id))
  }

  /// Removes what is no upload; a folder stays, since the server has made none here.
  private func removeForeign(_ name: String) throws(FileError) {
    do {
      try FileSystem.remove("\(incoming)/\(name)")
    } catch  where error.number == EISDIR || error.number == EPERM {}
  }

  // MARK: - Photos

  /// A photo's file and its size; nil when there is none.
  package func open(_ id: String) throws(FileError) -> (file: OpenFile, byteCount: Int64)? {
    let path = path(of: id)
    guard let file = try FileSystem.open(path) else { return nil }
    return (file, try FileSystem.byteCount(of: file, path: path))
  }

  /// Removes a photo; after a power failure it may be there again.
  func remove(_ id: String) throws(FileError) {
    try FileSystem.remove(path(of: id))
  }

  /// Removes photos for good.
  ///
  /// - Returns: those that are gone, and what went wrong with the first of the others.
  package func removeForGood(_ ids: [String]) -> (gone: [String], failure: FileError?) {
    var gone: [String] = []
    var failure: FileError?
    for (_, ids) in Dictionary(grouping: ids, by: { $0.prefix(2) }) {
      do throws(FileError) {
        for id in ids { try FileSystem.remove(path(of: id)) }
        if let id = ids.first { try syncIfThere(folder(of: id)) }
        gone += ids
      } catch {
        failure = failure ?? error
      }
    }
    return (gone, failure)
  }

  /// Removes the files of all photos, whether they have rows or not. For who is alone in the gate.
  package func removeAll() throws(FileError) {
    for folder in try FileSystem.names(in: photos) where folder.utf8.count == Self.folderLength {
      for name in try FileSystem.names(in: "\(photos)/\(folder)") where Photo.isID(name.utf8) { try remove(name) }
    }
  }

  private func syncFolder(_ folder: String) throws(FileError) {
    if isDurable { try FileSystem.syncFolder(folder) }
  }

  private func syncIfThere(_ folder: String) throws(FileError) {
    do {
      try syncFolder(folder)
    } catch  where error.number == ENOENT {}
  }

  /// Letters of an id that name its folder.
  private static let folderLength = 2

  package func folder(of id: String) -> String { "\(photos)/\(id.prefix(Self.folderLength))" }

  package func path(of id: String) -> String { "\(folder(of: id))/\(id)" }

  private func incomingPath(of id: String) -> String { "\(incoming)/\(id)" }
}

/// The storage cannot give a file two names, which photos need to survive a crash.
struct NoHardLinks: Error, CustomStringConvertible {
  let storage: String
  let cause: FileError

  var description: String {
    """
    \(storage)/incoming and \(storage)/photos must be folders of one file system that has hard links, such as ext4, \
    XFS, btrfs or ZFS (\(cause)). Move them there, or set another STORAGE_DIR.
    """
  }
}
