import CLinux
import Cryptography
import Glibc
import HTTPMessages
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieOperations
import SelfieTestControl

/// The folder with the database and the photos: opens it, and takes its lock, which one process at a time holds.
/// `StorageLayout` in SelfieAPI has the names in it, and `LockHolder` notices a second server that the lock does not
/// stop.
struct Storage {
  let path: String
  private let lock: Int32

  /// Opens the folder of the settings; a temporary one for a server that keeps nothing.
  init(_ settings: Settings, _ control: Control? = nil, restores: Bool = false, logger: Logger) throws {
    if let control, control.isEphemeral {
      try self.init(path: control.folder.makeFolder(), makesFolder: false, logger: logger)
      return
    }
    try settings.requireAccess(writes: true)
    let isFolder = FileSystem.isFolder(settings.storageDir)
    guard isFolder || settings.storageIsChosen || settings.makesStorage else {
      throw ConfigurationError(
        """
        There is no storage in this folder, and this is not a checkout of selfie-server. Set STORAGE_DIR to the folder \
        with the data or, for a new server, create an empty folder: mkdir -m 700 \(settings.storageDir)
        """)
    }
    let layout = StorageLayout(folder: settings.storageDir)
    guard try settings.cluster != nil || !isFolder || !FileSystem.exists(layout.moved) else {
      throw ConfigurationError(
        """
        The data in \(settings.storageDir) was moved to a cluster. Set DATABASE_URL and the S3_ settings. To use the \
        folder again, without anything stored in the cluster since then, delete \(layout.moved).
        """)
    }
    try self.init(
      path: settings.storageDir, makesFolder: settings.makesStorage, restores: restores, isLocal: settings.isLocal,
      logger: logger)
    // The processes of a cluster keep nothing in their folders.
    guard settings.cluster == nil else { return }
    for warning in StorageCheck.fileSystemWarnings(path) { logger.warning("\(warning)") }
  }

  /// Opens the folder and takes its lock, which the process holds until it ends.
  ///
  /// - Parameter restores: whether to accept a folder into which a restore was interrupted, and to make one that was
  ///   set.
  /// - Parameter isLocal: whether only programs of this machine reach the server: to whoever tries it there for the first
  ///   time, a checkout's folder that is closed is no news.
  /// - Parameter logger: is told what others than the owner could read, which is closed; if nil, nothing is.
  /// - Throws: `StorageInUse`, or a `ConfigurationError`.
  init(path: String, makesFolder: Bool, restores: Bool = false, isLocal: Bool = false, logger: Logger?) throws {
    self.path = path
    // Only the owner may read the files, even if others may look into the folder. SQLite alone would make them 0644.
    umask(0o077)
    if (makesFolder || restores) && mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw ConfigurationError(
        "The folder \(path) cannot be created: \(Self.systemError). Create it, or set STORAGE_DIR.")
    }
    guard FileSystem.isFolder(path) else {
      throw ConfigurationError(
        FileSystem.obstacle(to: path).map {
          "STORAGE_DIR is \(path), but \($0) is not a folder. Set it to the folder with the data, or to a new one."
        } ?? "STORAGE_DIR is \(path), but there is no such folder. Create it with: mkdir -p \(path.shellWord)")
    }
    if let problem = try MisplacedStorage.problem(with: path) { throw ConfigurationError(problem) }
    let permissions = StoragePermissions(storage: path)
    let layout = StorageLayout(folder: path)
    guard logger == nil || !permissions.isForeign else {
      throw ConfigurationError(
        "\(path) has files that do not belong to a server, and other users can access it. Set STORAGE_DIR to a folder of its own."
      )
    }
    lock = open(layout.lock, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, access(path, R_OK | W_OK | X_OK) == 0 else {
      throw ConfigurationError(
        "The folder \(path) cannot be written to: \(Self.systemError). "
          + (errno == EROFS ? "Under systemd, add it to ReadWritePaths=." : "Give it to the user that runs the server.")
      )
    }
    // Network file systems pass on the second kind only, and some then refuse the first as if somebody else had it.
    let isLocked = clinux_lock_file(lock) == 0 || ![EAGAIN, EACCES].contains(errno)
    guard isLocked, flock(lock, LOCK_EX | LOCK_NB) == 0 || FileSystem.remoteKind(of: path) != nil else {
      Glibc.close(lock)
      throw StorageInUse(path: path, lock: layout.lock)
    }
    _ = try LockHolder(of: path)
    guard restores || !StorageRestore.isUnfinished(in: path) else {
      throw ConfigurationError(OperationError.interruptedRestore(into: path).description)
    }
    if let logger { Self.closeToOthers(path, permissions, isLocal: isLocal, logger) }
  }

  /// Says that the process no longer uses the folder. It still holds the lock until it ends.
  func release() { ftruncate(lock, 0) }

  /// Closes what others than the owner can read, and says so.
  private static func closeToOthers(
    _ path: String, _ permissions: StoragePermissions, isLocal: Bool, _ logger: Logger
  ) {
    do throws(FileError) {
      let closed = try permissions.close()
      let paths = closed.map { permissions.path($0.name) }.joined(separator: " ")
      if closed.contains(where: { !$0.isClosed }) {
        logger.warning("\(StoragePermissions.ignored(path))")
      } else if !closed.isEmpty {
        let level = isLocal && (try? StorageLayout(folder: path).storageState) == .new ? Logger.Level.debug : .notice
        logger.log(level: level, "the storage is now accessible to its owner only", metadata: ["paths": "\(paths)"])
      }
    } catch {
      // The files in it were made for their owner only, so others see no more than their names.
      logger.warning("\(error.path): \(permissions.remedy(error.path))", metadata: ["error": "\(error)"])
    }
  }

  /// Whether a server holds the folder's lock at this moment. If none does, this takes a shared lock for an instant,
  /// which needs no permission to write. The pid in the lock file could be of a process that has ended.
  static func isHeld(_ path: String) -> Bool {
    let lock = open(StorageLayout(folder: path).lock, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard lock >= 0 else { return false }
    defer { close(lock) }
    return flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static var systemError: String { String(cString: strerror(errno)) }
}

/// Another process has the lock of a storage folder.
struct StorageInUse: Error, CustomStringConvertible {
  let path: String
  /// "pid 4711, since 2026-11-20T22:24:16.641Z", as the holder wrote into the lock's file; "another process" if that
  /// text is of a process that has ended.
  let owner: String

  init(path: String, lock: String) {
    self.path = path
    let text = LockHolder.text(of: lock) ?? ""
    owner =
      LockHolder.isAlive(text) ? text.split(separator: "\n").prefix(2).joined(separator: ", ") : "another process"
  }

  var description: String {
    "\(path) is in use by selfie-server (\(owner)). Stop it first, or set another STORAGE_DIR."
  }
}

extension Storage {
  /// Opens the storage of a server that does not run, for a command that does the server's work.
  ///
  /// - Parameters:
  ///   - mayBeNew: whether the storage may be without a database yet.
  ///   - logger: is told what others could read until now; the log of a command if nil.
  /// - Throws: `StorageInUse` if another process has the lock, or a `ConfigurationError`.
  static func stopped(_ settings: Settings, mayBeNew: Bool = false, logger: Logger? = nil) throws -> Storage {
    try settings.requireAccess(writes: true)
    guard try mayBeNew || StorageLayout(folder: settings.storageDir).storageState != .new else {
      throw OperationError.noStorage(in: settings.storageDir)
    }
    return try Storage(settings, logger: logger ?? StandardErrorLog.logger(settings))
  }

  /// Opens the database of a server that does not run, and brings it up to date. Logs that.
  func openDatabase(_ settings: Settings) throws -> Database {
    let database = try StorageLayout(folder: path).openDatabase(now: unixMilliseconds())
    database.upgrade.log(to: StandardErrorLog.logger(settings))
    return database
  }

  /// Copies the database of a server that does not run, if there is one, so that the copy can be upgraded and read without
  /// a trace in the storage.
  static func copyDatabase(of storage: StorageLayout, to copy: StorageLayout) throws {
    try readDatabase(of: storage) { try $0.copy(to: copy.database) }
  }

  /// Reads the database of a server that does not run, as it is and without a trace; nil if there is none.
  @discardableResult
  static func readDatabase<Result>(
    of storage: StorageLayout, _ body: (Connection) throws -> Result
  ) throws -> Result? {
    guard try FileSystem.exists(storage.database) else { return nil }
    let hasLog = try FileSystem.exists(storage.database + "-wal")
    let database = try Connection(path: storage.database, mode: hasLog ? .readOnly : .immutable)
    defer { database.close() }
    return try body(database)
  }

  /// Runs `body` with the database and the photos of a server that does not run.
  func withLibrary<Result>(_ settings: Settings, _ body: (Database, PhotoLibrary) throws -> Result) throws -> Result {
    let database = try openDatabase(settings)
    defer { database.close() }
    let pool = WorkerPool(name: "photos", threads: 1, waiting: 1)
    defer { pool.shutDown() }
    let library = try PhotoLibrary(
      database: database, storage: path, pool: pool, logger: StandardErrorLog.logger(settings))
    return try body(database, library)
  }
}

extension Upgrade {
  /// Says so if a database that held data was upgraded.
  func log(to logger: Logger) {
    for orphan in orphans {
      logger.warning(
        "another program has deleted rows of the database, but not those that belong to them. Run selfie-server doctor",
        metadata: ["found": "\(orphan)"])
    }
    guard let copy else { return }
    logger.notice(
      "the database was brought up to date, after it was copied",
      metadata: ["migrations": "\(steps.joined(separator: " "))", "copy": "\(copy)"])
  }
}
