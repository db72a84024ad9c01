import Glibc
import Platform

/// Describes the process that holds the lock of a storage folder. The text in the lock's file is only a hint: it may be
/// of a process that ended long ago, and the pid may be another process's by now.
struct LockOwner: CustomStringConvertible {
  /// "pid 4711, since 2026-11-20 22:24:16 +0000", or "another process" if that is all that is known.
  let description: String

  /// - Parameters:
  ///   - lock: the open lock file. Its lock was refused.
  ///   - path: the path of the lock file.
  init(of lock: Int32, path: String) {
    let lines = Self.text(path).split(separator: "\n").prefix(2)
    guard let pid = lines.first?.split(separator: " ").last.flatMap({ Int32($0) }), Self.holds(pid, lock) else {
      description = "another process"
      return
    }
    description = lines.joined(separator: ", ")
  }

  /// Whether the process has a lock on the file, as far as the kernel shows it.
  private static func holds(_ pid: Int32, _ lock: Int32) -> Bool {
    var status = stat()
    // Without the list of locks (proc_locks(5)), any live process with this pid is taken for the owner.
    guard fstat(lock, &status) == 0, let isListed = lists(pid, status.st_ino) else {
      return pid > 0 && kill(pid, 0) == 0
    }
    // The kernel returns the list in pieces of a page and finds the next piece by counting locks. If other processes
    // release theirs between two reads, the list may lack a lock that is held.
    return isListed || (1..<readings).contains { _ in lists(pid, status.st_ino) == true }
  }

  /// How often the list is read before the lock counts as not held.
  private static let readings = 8

  /// Whether the list of locks has one of the process on the file; nil where there is no list.
  private static func lists(_ pid: Int32, _ inode: ino_t) -> Bool? {
    let locks = text("/proc/locks")
    guard !locks.isEmpty else { return nil }
    // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:16433967 0 EOF". On some file systems the device differs from stat's.
    return locks.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      return fields.count > 5 && fields[1] == "FLOCK" && fields[4] == String(pid) && fields[5].hasSuffix(":\(inode)")
    }
  }

  /// What is in a file; nothing if it cannot be read.
  private static func text(_ path: String) -> String {
    String(decoding: (try? FileSystem.contents(of: path, maxBytes: 1024 * 1024)) ?? [], as: UTF8.self)
  }
}
