import Glibc
import Platform

/// A folder in memory, where the machine has such a place, that goes with its process: in order at ``remove()``, and
/// after a SIGKILL when the next one is made.
///
/// Its process holds a lock in it, which the system takes away from a process that has ended, however it did.
public final class EphemeralFolder: Sendable {
  public let path: String
  private let lock: Int32
  private let folderCount = Monitor(0)

  /// Where files are kept in memory, if there is such a place with room; else where temporary files are.
  public static var place: String {
    access(memory, W_OK | X_OK) == 0 && freeBytes(memory) >= roomForPhotos ? memory : disk
  }

  private static let memory = "/dev/shm"
  private static let disk = "/tmp"
  /// A container has 64 MB there unless told otherwise, of which two photos of a telephone's camera would be too much.
  private static let roomForPhotos: UInt = 256 << 20

  private static func freeBytes(_ place: String) -> UInt {
    var status = statvfs()
    guard statvfs(place, &status) == 0 else { return 0 }
    return status.f_bavail &* status.f_frsize
  }

  /// Makes a folder, and removes those that processes of this user have left behind.
  ///
  /// - Parameter place: nil: ``place``.
  public init(in place: String? = nil) throws(EphemeralFolderError) {
    // First, since what is left behind may be why there is no room.
    for place in place.map({ [$0] }) ?? [Self.memory, Self.disk] { Self.sweep(place) }
    let place = place ?? Self.place
    var template = Array("\(place)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw EphemeralFolderError(place: place) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // The lock is held when it gets its name: who sees one that nobody holds takes the folder for left behind.
    let unnamed = "\(path)/\(Self.lockName).new"
    lock = open(unnamed, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, rename(unnamed, "\(path)/\(Self.lockName)") == 0 else {
      throw EphemeralFolderError(place: path)
    }
  }

  /// A new folder in it.
  public func makeFolder() throws(EphemeralFolderError) -> String {
    let number = folderCount.withLock { count in
      count += 1
      return count
    }
    let folder = "\(path)/\(number)"
    guard mkdir(folder, 0o700) == 0 else { throw EphemeralFolderError(place: path) }
    return folder
  }

  public func remove() {
    FileTree.remove(path)
  }

  deinit {
    close(lock)
  }

  private static let prefix = "selfie-server-ephemeral-"
  private static let lockName = ".lock"

  private static func sweep(_ place: String) {
    for name in FileTree.names(in: place) where name.hasPrefix(prefix) {
      let folder = "\(place)/\(name)"
      var status = stat()
      guard lstat(folder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
        continue
      }
      if isLeftBehind(folder, pid: name.dropFirst(prefix.count).prefix { $0 != "-" }) { FileTree.remove(folder) }
    }
  }

  private static func isLeftBehind(_ folder: String, pid: Substring) -> Bool {
    let lock = open("\(folder)/\(lockName)", O_RDWR | O_CLOEXEC)
    guard lock >= 0 else {
      // Its process may be about to make the lock.
      guard let pid = pid_t(pid) else { return false }
      return kill(pid, 0) != 0 && errno == ESRCH
    }
    defer { close(lock) }
    return flock(lock, LOCK_EX | LOCK_NB) == 0
  }
}

/// No folder can be made.
public struct EphemeralFolderError: Error, CustomStringConvertible {
  let place: String
  let number = errno

  public var description: String {
    "No temporary folder can be made in \(place): \(String(cString: strerror(number)))."
  }
}
