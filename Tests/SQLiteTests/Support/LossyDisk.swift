import CSQLite
import Foundation
import Platform
import TestSupport

/// A disk whose syncs fail when a test says so, as Linux has it since 4.13: what was to be synced is then not on the
/// disk, but it is in the cache, where it counts as written, so that the next sync says yes without it
/// (lwn.net/Articles/752063, "PostgreSQL's fsync() surprise").
///
/// It stands between SQLite and its file system, for the files of the folders that it was told of, and keeps what of
/// them is on the disk.
enum LossyDisk {
  /// A database in a folder that this looks after.
  static func folder() throws -> TemporaryFolder {
    _ = isInstalled
    let folder = try TemporaryFolder()
    files.withLock { $0[folder.databasePath] = File() }
    files.withLock { $0[folder.logPath] = File() }
    return folder
  }

  /// Lets the next `count` syncs of a file fail.
  static func failSyncs(of path: String, count: Int = 1) {
    files.withLock { $0[path]?.failures = count }
  }

  /// How many of those are still to come.
  static func failuresLeft(of path: String) -> Int { files.withLock { $0[path]?.failures ?? 0 } }

  /// What a start finds after the process was killed: all that was written.
  static func afterKill(of folder: TemporaryFolder) throws -> TemporaryFolder {
    let next = try Self.folder()
    for (old, new) in [(folder.databasePath, next.databasePath), (folder.logPath, next.logPath)] {
      try FileManager.default.copyItem(atPath: old, toPath: new)
      files.withLock { files in
        let file = files[old]
        files[new] = file
      }
    }
    return next
  }

  /// What a start finds after the power has failed: all that was synced.
  static func afterPowerFailure(of folder: TemporaryFolder) throws -> TemporaryFolder {
    let next = try Self.folder()
    for (old, new) in [(folder.databasePath, next.databasePath), (folder.logPath, next.logPath)] {
      let synced = files.withLock { files in
        let synced = files[old]?.synced ?? []
        files[new]?.synced = synced
        return synced
      }
      try Data(synced).write(to: URL(fileURLWithPath: new))
    }
    return next
  }

  private struct File {
    enum Change {
      case write([UInt8], at: Int)
      case truncate(Int)
    }

    var synced: [UInt8] = []
    var unsynced: [Change] = []
    var failures = 0

    /// Whether it succeeds.
    mutating func sync() -> Bool {
      defer { unsynced = [] }
      guard failures == 0 else {
        failures -= 1
        return false
      }
      for change in unsynced {
        switch change {
        case .write(let bytes, let offset):
          if synced.count < offset + bytes.count {
            synced += [UInt8](repeating: 0, count: offset + bytes.count - synced.count)
          }
          synced.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
        case .truncate(let count): synced = Array(synced.prefix(count))
        }
      }
      return true
    }
  }

  private static let files = Monitor<[String: File]>([:])

  // MARK: - Between SQLite and its file system

  private typealias Handle = UnsafeMutablePointer<sqlite3_file>

  /// Written once, before the first database is opened.
  private nonisolated(unsafe) static let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
  private nonisolated(unsafe) static let systemVFS = sqlite3_vfs_find(nil)
  /// What writes and syncs all of the system's files alike; they differ in how they are locked and closed.
  private static let system = Monitor(sqlite3_io_methods())
  /// The path of each file that is open here.
  private static let paths = Monitor<[UInt: String]>([:])

  private static func change(_ file: Handle, _ change: File.Change) {
    let path = paths.withLock { $0[UInt(bitPattern: file)] ?? "" }
    files.withLock { $0[path]?.unsynced.append(change) }
  }

  private static let isInstalled: Bool = {
    guard let system = systemVFS else { return false }
    vfs.initialize(to: system.pointee)
    vfs.pointee.zName = UnsafePointer(strdup("lossy"))
    vfs.pointee.xOpen = { _, name, file, flags, outFlags in
      guard let system = systemVFS else { return SQLITE_CANTOPEN }
      let code = system.pointee.xOpen(system, name, file, flags, outFlags)
      guard code == SQLITE_OK, let name, let file, let methods = file.pointee.pMethods else { return code }
      let path = String(cString: name)
      guard files.withLock({ $0[path] != nil }) else { return code }
      paths.withLock { $0[UInt(bitPattern: file)] = path }
      file.pointee.pMethods = replacing(methods.pointee)
      return code
    }
    vfs.pointee.xDelete = { _, name, syncsFolder in
      if let name {
        let path = String(cString: name)
        files.withLock { if $0[path] != nil { $0[path] = File() } }
      }
      return systemVFS?.pointee.xDelete(systemVFS, name, syncsFolder) ?? SQLITE_IOERR
    }
    return sqlite3_vfs_register(vfs, 1) == SQLITE_OK
  }()

  /// A file's methods with ours among them; a few hundred bytes for each file that a test opens, never freed.
  private static func replacing(_ methods: sqlite3_io_methods) -> UnsafePointer<sqlite3_io_methods> {
    system.withLock { $0 = methods }
    let replaced = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    replaced.initialize(to: methods)
    replaced.pointee.xWrite = { file, bytes, count, offset in
      if let file, let bytes {
        let bytes = [UInt8](UnsafeRawBufferPointer(start: bytes, count: Int(count)))
        LossyDisk.change(file, .write(bytes, at: Int(offset)))
      }
      return LossyDisk.system.withLock(\.self).xWrite(file, bytes, count, offset)
    }
    replaced.pointee.xTruncate = { file, count in
      if let file { LossyDisk.change(file, .truncate(Int(count))) }
      return LossyDisk.system.withLock(\.self).xTruncate(file, count)
    }
    replaced.pointee.xSync = { file, flags in
      let path = LossyDisk.paths.withLock { $0[UInt(bitPattern: file)] ?? "" }
      guard LossyDisk.files.withLock({ $0[path]?.sync() ?? true }) else { return SQLITE_IOERR | 4 << 8 }
      return LossyDisk.system.withLock(\.self).xSync(file, flags)
    }
    return UnsafePointer(replaced)
  }
}

extension TemporaryFolder {
  var logPath: String { databasePath + "-wal" }
}
