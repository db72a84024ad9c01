import Cryptography
import Glibc
import HTTPMessages
import Platform
import SQL
import SQLite
import SelfieAPI

/// BACKUP_DIR as a storage knows it: whether it is the right disk, and which of the backups there are this server's own.
/// `ScheduledBackups` makes backups there.
package struct BackupPlace: Sendable {
  /// What an owner decides about the folder, where the server does not.
  package struct Changes: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    /// To begin a new line, since this storage is a copy of another.
    package static let newLine = Changes(rawValue: 1)
    /// To begin a folder, though there were backups elsewhere.
    package static let newFolder = Changes(rawValue: 2)
  }

  /// BACKUP_DIR.
  package let path: String
  package let folder: BackupFolder
  let storage: String
  private let identity: String
  private let database: Database

  init(_ path: String, storage: String, database: Database) throws {
    (self.path, self.storage, self.database) = (path, storage, database)
    identity = try database.read { $0.storageIdentity } ?? BackupFolder.unknownStorage
    folder = BackupFolder(in: path, of: identity)
  }

  /// Why a server cannot use BACKUP_DIR; nil if it can.
  package static func problem(of path: String) -> String? {
    if !FileSystem.isFolder(path) {
      return FileSystem.obstacle(to: path).map { "BACKUP_DIR is \(path), but \($0) is not a folder." }
        ?? "BACKUP_DIR is \(path), but there is no such folder. Mount its disk, or create it."
    }
    guard access(path, R_OK | W_OK | X_OK) != 0 else { return nil }
    return errno == EROFS
      ? "BACKUP_DIR is \(path), which is read-only for this process. Under systemd, add it to ReadWritePaths=."
      : "BACKUP_DIR is \(path), which cannot be written to. Give it to the server's user (\(geteuid())) with chown."
  }

  /// Also on a disk that is nearly full.
  private func write(_ body: @escaping @Sendable (any Transaction) throws -> Void) throws {
    try Blocking.run { [database] in try await database.write(changing: .none, makesRoom: true) { try body($0) } }
  }

  /// Notes what there is of backups. Where the storage's disk takes no more writes, they are wanted all the more: without a
  /// record nobody removes them.
  func note(_ body: @escaping @Sendable (any Transaction) throws -> Void) throws {
    do { try write(body) } catch let error as SQLiteError where !error.isDamage {}
  }

  private func state() throws -> BackupState {
    guard let state = try database.read({ try $0.first(BackupStateStore.state, as: BackupState.self) }) else {
      throw OperationError("The database does not say which line its backups belong to. Run selfie-server doctor.")
    }
    return state
  }

  private func recorded() throws -> Set<String> {
    Set(try database.read { try $0.all(BackupStateStore.recorded, as: String.self) })
  }

  // MARK: - The right disk

  /// Makes the storage's folder at the first backup.
  ///
  /// - Throws: if it is not there any more, or if this is probably not the right storage.
  func require(_ changes: Changes, now: Int64) throws {
    if let problem = Self.problem(of: path) { throw OperationError("No backup was made. \(problem)") }
    let state = try state()
    if !folder.exists {
      if !changes.contains(.newFolder) { try requireNew(state) }
      try folder.make()
    }
    if changes.contains(.newLine) {
      let line = Digest.hex(RandomSource.system.bytes(8))
      try write { try $0.beginLine(line, now: now) }
    }
    guard changes.contains(.newLine) || !state.hasFolder else { return }
    try note { [inode] in try $0.rememberBackupFolder(file: inode) }
  }

  /// Refuses to begin a folder if there was one, or if there are only those of others.
  private func requireNew(_ state: BackupState) throws {
    if state.hasFolder {
      throw OperationError(
        """
        \(path) does not have the backups of this storage any more. Is its disk mounted? No backup is made until it is, or \
        until you run selfie-server backup --new-folder.
        """)
    }
    let archives = try BackupFolder.oldArchives(in: path, of: identity)
    let others = try BackupFolder.all(in: path).map(\.path) + archives.filter { !$0.isOwn }.map(\.path)
    guard let other = others.first, !archives.contains(where: \.isOwn) else { return }
    throw OperationError(
      """
      \(path) has backups, but only of other storages, such as \(other). Is the disk of \(storage) mounted? No backup \
      is made here until it is or, if this is a storage of its own, until you run selfie-server backup --new-folder.
      """)
  }

  /// Of the database's file; 0 where numbers of files do not last.
  private var inode: Int64 {
    let isStable = FileSystem.remoteKind(of: storage) == nil
    let status = isStable ? (try? FileSystem.status(StorageLayout(folder: storage).database)) ?? nil : nil
    return Int64(truncatingIfNeeded: status?.inode ?? 0)
  }

  var isOnStoragesDisk: Bool {
    guard let own = try? FileSystem.status("\(storage)/."), let place = try? FileSystem.status("\(path)/.") else {
      return false
    }
    return own.device == place.device
  }

  // MARK: - The backups there

  /// This server's own backups up to a time, the newest first. Those of the future were made before the clock was set back.
  func own(before now: Int64) throws -> [Moment] {
    let recorded = try self.recorded()
    return folder.exists ? try folder.moments().filter { recorded.contains($0.name) && $0.time <= now } : []
  }

  static let unreliable = """
    Old backups are not removed: the lock does not work on BACKUP_DIR's file system, so that another server could be \
    making one. Remove old ones with selfie-server backup --delete NAME.
    """

  /// Why nothing may be removed; nil if it may.
  func doubt() throws -> String? {
    let (state, recorded) = (try self.state(), try self.recorded())
    let others = try folder.moments().filter {
      $0.line == state.line.prefix(Moment.lineDigits) && !recorded.contains($0.name)
    }
    let isCopy = state.file.map { $0 != 0 && inode != 0 && $0 != inode } ?? false
    guard isCopy || !others.isEmpty else { return nil }
    let reason = isCopy ? "\(storage) is a copy" : "another server has made \(others[0].name)"
    return """
      Old backups are not removed: \(reason), and a copy of a storage must not remove the backups of the original. In the \
      copy, run selfie-server backup --new-line.
      """
  }

  /// The backups of other lines, by line.
  private func others() throws -> [(line: String, moments: [Moment])] {
    let line = try state().line.prefix(Moment.lineDigits)
    guard folder.exists else { return [] }
    return Dictionary(grouping: try folder.moments().filter { $0.line != line }, by: \.line).sorted { $0.key < $1.key }
      .map { ($0.key, $0.value) }
  }

  /// Backups in BACKUP_DIR that this server does not remove.
  package struct Others: Codable, OmitsNil, Equatable, Sendable {
    /// Whose they are; nil for tar archives of earlier versions.
    package let line: String?
    package let count: Int
    package let newest: String
    /// Without the photos, which all share.
    package let bytes: Int64
  }

  package func listed() throws -> [Others] {
    var all = try others().map { line, moments in
      let bytes = moments.compactMap { ((try? FileSystem.status($0.layout.database)) ?? nil)?.byteCount }.reduce(0, &+)
      return Others(line: line, count: moments.count, newest: moments[0].name, bytes: bytes)
    }
    let archives = ((try? BackupFolder.oldArchives(in: path, of: identity)) ?? []).filter(\.isOwn).map(\.path).sorted()
    if let newest = archives.last {
      let bytes = archives.compactMap { ((try? FileSystem.status($0)) ?? nil)?.byteCount }.reduce(0, &+)
      all.append(Others(line: nil, count: archives.count, newest: newest, bytes: bytes))
    }
    return all
  }

  func warnings(now: Int64, every interval: Int64) throws -> [String] {
    let state = try state()
    var warnings = [try doubt()].compactMap(\.self)
    for (line, moments) in try others() {
      guard let newest = moments.first(where: { $0.time <= now }), newest.time > state.lineBeganAt,
        newest.time > now - max(2 * interval, 2 * 86_400_000)
      else { continue }
      warnings.append(
        """
        Another copy of this storage makes backups here too, line \(line), the newest \(newest.name). If it should not run, \
        stop it; a copy that should needs a BACKUP_DIR of its own.
        """)
    }
    if let ahead = try folder.moments().first, ahead.time > now + 86_400_000 {
      warnings.append("The backup \(ahead.name) is from the future, so it does not count. Check the clock.")
    }
    if let layer = FileSystem.layerWarning("BACKUP_DIR", path) { warnings.append(layer) }
    if isOnStoragesDisk {
      warnings.append("BACKUP_DIR is on the disk of the storage: if it fails, both are lost. Use another disk.")
    }
    return warnings
  }
}
