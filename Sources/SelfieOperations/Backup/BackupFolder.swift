import CLinux
import Glibc
import Platform
import SelfieAPI

/// The backups of one storage: `BACKUP_DIR/<storage id>`, with a pool of photos and a folder for each `Moment`. Whatever is
/// unfinished has a name that begins with a dot. `PhotoPool` has the photos.
package struct BackupFolder: Sendable, Equatable {
  package let path: String

  /// In place of the identity of a storage that has none, and of its line.
  static let unknownStorage = String(repeating: "0", count: 16)
  static let lockName = ".lock"

  package init(path: String) {
    self.path = path
  }

  package init(in place: String, of storage: String) {
    path = "\(place)/\(storage)"
  }

  /// Whether it is there. A link in its place does not count.
  package var exists: Bool { ((try? FileSystem.status(path)) ?? nil)?.kind == .folder }

  /// Makes it, unless it is there. Returns once its name is on the disk.
  package func make() throws {
    guard try FileSystem.makeFolder(path) || exists else {
      throw OperationError("\(path) is a link. Move it away: backups do not follow links.")
    }
    try FileSystem.syncFolder(FileSystem.parent(of: path))
  }

  /// The storages that have backups in a place; the place itself if it is such a folder.
  package static func all(in place: String) throws -> [BackupFolder] {
    let own = BackupFolder(path: place)
    if try !own.moments().isEmpty || FileSystem.status("\(place)/photos")?.kind == .folder { return [own] }
    return try FileSystem.names(in: place).sorted().map { BackupFolder(in: place, of: $0) }
      .filter { folder in folder.exists && isStorage(String(folder.path.suffix(unknownStorage.count))) }
  }

  private static func isStorage(_ name: String) -> Bool {
    name.utf8.count == unknownStorage.utf8.count
      && name.utf8.allSatisfy { $0.isASCIIDigit || (0x61...0x66).contains($0) }
  }

  /// A tar archive that an earlier version has made in BACKUP_DIR.
  struct OldArchive {
    let path: String
    /// Whether it is of this storage.
    let isOwn: Bool
  }

  static func oldArchives(in place: String, of storage: String) throws -> [OldArchive] {
    try FileSystem.names(in: place).filter { $0.hasPrefix("selfie-2") && $0.hasSuffix(".tar") }
      .map { OldArchive(path: "\(place)/\($0)", isOwn: $0.hasSuffix("Z-\(storage).tar")) }
  }

  /// The newest first.
  package func moments() throws -> [Moment] {
    try FileSystem.names(in: path).compactMap { Moment("\(path)/\($0)") }
      .filter { try FileSystem.status($0.path)?.kind == .folder }
      .sorted { ($0.time, $0.name) > ($1.time, $1.name) }
  }

  /// Folders that a backup or a removal has left unfinished.
  func unfinished() throws -> [String] {
    try FileSystem.names(in: path).filter { $0.hasPrefix(".") && Moment("\(path)/\($0.dropFirst())") != nil }
      .map { "\(path)/\($0)" }
  }

  /// Removes a moment: first its name, so that none is ever half there. Its photos stay.
  func remove(_ moment: Moment) throws(FileError) {
    let unfinished = "\(path)/.\(moment.name)"
    try FileSystem.renameWithoutReplacing(moment.path, to: unfinished)
    try FileSystem.syncFolder(path)
    try FileSystem.removeTree(unfinished)
  }

  /// Runs `body` while no other process makes a backup here, or removes photos.
  ///
  /// - Parameter wait: is called, over and over again, while another one does, and may throw an error to give up.
  package func whileLocked<Result>(
    wait: (BackupInProgress) throws -> Void = { throw $0 }, _ body: (BackupLock) throws -> Result
  ) throws -> Result {
    let lock = try self.lock(wait)
    // At once: a process that another thread starts has a copy of the descriptor until it runs its program, so that the
    // lock would outlast a close.
    defer { lock.release() }
    return try body(lock)
  }

  private func lock(_ wait: (BackupInProgress) throws -> Void) throws -> BackupLock {
    while true {
      do { return try BackupLock(of: self) } catch let error as BackupInProgress { try wait(error) }
    }
  }
}

/// Another backup is being made into the folder, or one is being removed.
package struct BackupInProgress: Error, CustomStringConvertible {
  package let folder: String

  package var description: String { "Another backup into \(folder) is in progress. Wait for it to finish." }
}

/// The lock of a `BackupFolder`.
package struct BackupLock {
  private let file: OpenFile
  /// Whether it keeps out servers on other machines too. Without that nothing may be removed.
  let isReliable: Bool

  fileprivate init(of folder: BackupFolder) throws {
    let path = "\(folder.path)/\(BackupFolder.lockName)"
    file = try OpenFile(path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600)
    // Network file systems pass on the second kind only.
    let isFlocked = flock(file.descriptor, LOCK_EX | LOCK_NB) == 0
    guard isFlocked || errno != EWOULDBLOCK else { throw BackupInProgress(folder: folder.path) }
    let isLocked = clinux_lock_file(file.descriptor) == 0
    guard isLocked || ![EAGAIN, EACCES].contains(errno) || !isFlocked else {
      throw BackupInProgress(folder: folder.path)
    }
    isReliable = isFlocked && isLocked && FileSystem.remoteKind(of: folder.path) == nil
  }

  /// Gives back both kinds.
  fileprivate func release() {
    flock(file.descriptor, LOCK_UN)
    _ = clinux_unlock_file(file.descriptor)
  }
}
