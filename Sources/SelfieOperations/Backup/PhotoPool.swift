import Cryptography
import Glibc
import Platform
import SQL
import SQLite
import SelfieAPI

/// The photos of all backups of a storage, each once: `photos/ab/<random_id>`. A photo gets its name when it is whole and on
/// the disk, and is never replaced by other bytes, unless it is damaged and its own bytes are there.
struct PhotoPool {
  let folder: BackupFolder
  private let layout: StorageLayout
  /// Folders whose names must still be synced.
  private var changed: Set<String> = []

  init(of folder: BackupFolder) {
    (self.folder, layout) = (folder, StorageLayout(folder: folder.path))
  }

  /// Nil if there is nothing; anything but a plain file counts as damaged.
  func status(of id: String) throws(FileError) -> FileStatus? { try FileSystem.status(layout.photo(id)) }

  /// Nil if there is no plain file.
  func part(of id: String) -> FilePart? { (try? FilePart(at: layout.photo(id))) ?? nil }

  /// The SHA-256 of a photo; nil if it cannot be read.
  func digest(of id: String, each: () throws -> Void = {}) throws -> [UInt8]? {
    guard let part = part(of: id) else { return nil }
    do { return try part.forEachChunk { _ in try each() } } catch is FileError { return nil }
  }

  /// Copies a photo into the pool. False if its bytes have another digest: then the pool is as before.
  ///
  /// - Parameter replaces: whether there is a damaged one.
  mutating func add(
    _ part: FilePart, as id: String, sha256: [UInt8], replaces: Bool, each: () throws -> Void
  ) throws -> Bool {
    let (place, partial) = (layout.photo(id), "\(layout.photoFolder(of: id))/.\(id)")
    for folder in [layout.photos, layout.photoFolder(of: id)] { try makeFolder(folder) }
    // Of a backup that was killed.
    try FileSystem.remove(partial)
    guard try part.copy(to: partial, each: each) == sha256 else {
      try FileSystem.remove(partial)
      return false
    }
    if replaces {
      if try status(of: id)?.kind == .folder { try FileSystem.removeTree(place) }
      try FileSystem.rename(partial, to: place)
    } else {
      try FileSystem.renameWithoutReplacing(partial, to: place)
    }
    changed.insert(layout.photoFolder(of: id))
    return true
  }

  private mutating func makeFolder(_ path: String) throws {
    guard try FileSystem.makeFolder(path) || FileSystem.status(path)?.kind == .folder else {
      throw OperationError("\(path) is a link. Move it away: backups do not follow links.")
    }
    changed.insert(FileSystem.parent(of: path))
  }

  /// Returns once the names of all photos are on the disk.
  mutating func sync() throws(FileError) {
    for folder in changed { try FileSystem.syncFolder(folder) }
    changed = []
  }

  /// The folders of photos, in order.
  func folders() throws -> [String] {
    guard try FileSystem.status(layout.photos)?.kind == .folder else { return [] }
    return try FileSystem.names(in: layout.photos).filter(StorageLayout.isPhotoFolder).sorted()
  }

  /// The ids of the photos in a folder, in order.
  func ids(in folder: String) throws -> [String] {
    try FileSystem.names(in: "\(layout.photos)/\(folder)").filter { Photo.isID($0.utf8) }.sorted()
  }

  /// Moments whose databases are open at a time.
  private static let openAtOnce = 64

  /// Removes the photos that no moment names, and what a killed backup has left.
  func removeUnnamed(_ lock: BackupLock) throws {
    guard lock.isReliable else { return }
    for id in try unnamed() { try FileSystem.remove(layout.photo(id)) }
    for folder in try folders().map({ "\(layout.photos)/\($0)" }) {
      for name in try FileSystem.names(in: folder) where name.hasPrefix(".") && Photo.isID(name.dropFirst().utf8) {
        try FileSystem.remove("\(folder)/\(name)")
      }
    }
  }

  /// The photos that no moment names, neither a whole nor an unfinished one.
  ///
  /// - Parameter moment: counts as if it were not there.
  /// - Throws: if a database cannot be read: its photos are not known.
  func unnamed(without moment: Moment? = nil) throws -> [String] {
    guard try folder.unfinished().isEmpty else { throw OperationError("\(folder.path) has unfinished backups.") }
    let moments = try folder.moments().filter { $0 != moment }
    var unnamed: [String]?
    for start in stride(from: 0, to: max(1, moments.count), by: Self.openAtOnce) {
      let connections = try moments[start..<min(moments.count, start + Self.openAtOnce)].map { try $0.openChecked() }
      let isUnnamed = { (id: String) in try !connections.contains { try $0.exists(PhotoStore.photo(randomID: id)) } }
      unnamed = try unnamed?.filter(isUnnamed) ?? folders().flatMap { try unnamedIDs(in: $0, connections) }
    }
    return unnamed ?? []
  }

  /// One query for all photos whose ids begin alike: one for each would take far longer.
  private func unnamedIDs(in folder: String, _ connections: [Connection]) throws -> [String] {
    let ids = try ids(in: folder)
    var named = Set<String>()
    // Where names are the same in either case, as on vfat, a folder has the photos of up to four beginnings.
    for beginning in Set(ids.map { String($0.prefix(folder.count)) }) {
      for connection in connections {
        named.formUnion(try connection.all(PhotoStore.randomIDs(startingWith: beginning), as: String.self))
      }
    }
    return ids.filter { !named.contains($0) }
  }
}

/// The digests by which the photos of a pool are known: those in the databases of its moments.
final class KnownDigests {
  /// The newest first.
  private let connections: [Connection]
  private let olderMoments: ArraySlice<Moment>
  /// The moments whose databases cannot be read, so that they say nothing.
  let damaged: [Moment]

  /// - Parameters:
  ///   - moments: the newest first.
  ///   - max: the number of databases that are open. More would hardly say more, and take descriptors.
  init(_ moments: [Moment], max: Int = 32) {
    var (connections, damaged): ([Connection], [Moment]) = ([], [])
    for moment in moments.prefix(max) {
      do { connections.append(try moment.openChecked()) } catch { damaged.append(moment) }
    }
    (self.connections, self.damaged, olderMoments) = (connections, damaged, moments.dropFirst(max))
  }

  /// The digest of the newest moment that has the photo.
  func digest(of id: String) -> [UInt8]? {
    for connection in connections {
      if let found = Self.digest(of: id, connection) { return found }
    }
    return nil
  }

  /// Whether any of the moments that are open knows the photo by another digest.
  func disagree(about id: String, _ sha256: [UInt8]) -> Bool {
    connections.contains { Self.digest(of: id, $0).map { $0 != sha256 } ?? false }
  }

  /// Whether any moment at all has the photo with these bytes, so that they must stay.
  func need(_ sha256: [UInt8], of id: String) -> Bool {
    connections.contains { Self.digest(of: id, $0) == sha256 }
      || olderMoments.contains { moment in
        (try? moment.openChecked()).flatMap { Self.digest(of: id, $0) } == sha256
      }
  }

  private static func digest(of id: String, _ connection: Connection) -> [UInt8]? {
    ((try? connection.first(PhotoStore.photo(randomID: id), as: Photo.self)) ?? nil)?.sha256
  }
}
