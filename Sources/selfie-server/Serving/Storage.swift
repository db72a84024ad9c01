import Glibc
import SelfieAPI
import SelfieOperations

/// The folder with the database and the photos. One process at a time holds its lock.
struct Storage {
  let path: String
  private let lock: Int32

  /// Opens the folder and takes its lock, which the process holds until it ends.
  ///
  /// - Parameter restores: whether to accept a folder into which a restore was interrupted.
  init(path: String, makesFolder: Bool, restores: Bool = false) throws(ConfigurationError) {
    self.path = path
    // Only the owner may read the files, even if others may look into the folder. SQLite alone would make them 0644.
    umask(0o077)
    if makesFolder && mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw ConfigurationError("The folder \(path) cannot be made: \(Self.systemError). Make it, or set STORAGE_DIR.")
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
      throw ConfigurationError("STORAGE_DIR is \(path), and there is no such folder. Make it with: mkdir -p \(path)")
    }
    // The folder of a fresh checkout has the permissions that the user's umask gave it.
    if makesFolder && status.st_mode & 0o077 != 0 { chmod(path, status.st_mode & 0o700) }
    let lockPath = StorageLayout(folder: path).lock
    lock = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, access(path, R_OK | W_OK | X_OK) == 0 else {
      throw ConfigurationError(
        "The folder \(path) cannot be written to: \(Self.systemError). Give it to the user that runs the server.")
    }
    guard flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      let owner = LockOwner(of: lock, path: lockPath)
      throw ConfigurationError(
        "\(path) is in use by another selfie-server (\(owner)). Stop it first, or set another STORAGE_DIR.")
    }
    let holder = "pid \(getpid())\nsince \(Self.now)\n"
    ftruncate(lock, 0)
    _ = pwrite(lock, holder, holder.utf8.count, 0)
    guard restores || !StorageRestore.isUnfinished(in: path) else {
      throw ConfigurationError(
        "A restore into \(path) was interrupted. Start it again, or empty the folder.")
    }
  }

  /// Whether a server holds the folder's lock at this moment. If none does, this takes a shared lock for an instant,
  /// which needs no permission to write. The pid in the lock file could be of a process that has ended.
  static func isHeld(_ path: String) -> Bool {
    let lock = open(StorageLayout(folder: path).lock, O_RDONLY | O_CLOEXEC)
    guard lock >= 0 else { return false }
    defer { close(lock) }
    return flock(lock, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  private static var systemError: String { String(cString: strerror(errno)) }

  private static var now: String {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%Y-%m-%d %H:%M:%S %z", &parts)
    return String(decoding: text[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
