import Glibc
package import Platform

/// A folder for the data of one process, in memory where the machine has such a place. ``remove()`` removes it; after a
/// SIGKILL, the next process that makes one does. `Storage` in SelfieServer opens the folder of a server that keeps its
/// data.
///
/// The process holds a lock in the folder, which the system releases however the process ends.
package final class EphemeralFolder: Sendable {
  package let path: String
  private let lock: OpenFile

  /// The parent folder: in memory if there is enough room, otherwise that of temporary files.
  package static var place: String {
    let freeBytes = (try? FileSystem.freeBytes(at: memory)) ?? 0
    return access(memory, W_OK | X_OK) == 0 && freeBytes >= minFreeBytes ? memory : disk
  }

  private static let memory = "/dev/shm"
  private static let disk = "/tmp"
  /// A container has 64 MB there by default, which is not enough for many photos.
  private static let minFreeBytes: Int64 = 256 << 20

  /// Makes a folder, and removes those that ended processes of this user have left behind.
  ///
  /// - Parameter place: the parent folder; nil for ``place``.
  package init(in place: String? = nil) throws {
    // Before the choice of a place, since folders that were left behind may take up the room.
    for place in place.map({ [$0] }) ?? [Self.memory, Self.disk] { Self.sweep(place) }
    let place = place ?? Self.place
    do throws(FileError) {
      path = try FileSystem.makeTemporaryFolder(prefix: "\(place)/\(Self.prefix)\(getpid())-")
    } catch {
      throw ConfigurationError("No temporary folder can be created in \(place): \(error.reason).")
    }
    // The lock is taken before it gets its name, since a folder with a lock that no process holds counts as left behind.
    let unnamed = "\(path)/\(Self.lockName).new"
    lock = try OpenFile(unnamed, O_RDWR | O_CREAT, permissions: 0o600)
    guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else { throw FileError("flock", path) }
    try FileSystem.rename(unnamed, to: "\(path)/\(Self.lockName)")
  }

  /// Makes a folder in the folder.
  package func makeFolder() throws(FileError) -> String {
    try FileSystem.makeTemporaryFolder(prefix: "\(path)/")
  }

  package func remove() {
    try? FileSystem.removeTree(path)
  }

  private static let prefix = "selfie-server-ephemeral-"
  private static let lockName = ".lock"

  /// The folders of this user's processes that run.
  package static var running: [String] { [memory, disk].flatMap(folders).filter { !isLeftBehind($0) } }

  private static func sweep(_ place: String) {
    for folder in folders(in: place) where isLeftBehind(folder) { try? FileSystem.removeTree(folder) }
  }

  /// The folders of this user's processes, those that have ended among them.
  private static func folders(in place: String) -> [String] {
    let names = (try? FileSystem.names(in: place)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.map { "\(place)/\($0)" }.filter { folder in
      var status = stat()
      return lstat(folder, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }
  }

  private static func isLeftBehind(_ folder: String) -> Bool {
    guard let lock = try? OpenFile("\(folder)/\(lockName)", O_RDWR) else {
      // The process may be about to make the lock.
      let name = folder.split(separator: "/").last ?? ""
      guard let pid = pid_t(name.dropFirst(prefix.count).prefix { $0 != "-" }) else { return false }
      return kill(pid, 0) != 0 && errno == ESRCH
    }
    return flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0
  }
}
