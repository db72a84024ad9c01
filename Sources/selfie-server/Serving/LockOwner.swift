import Glibc
import Platform

/// Who holds a storage folder, in words for people. Only the lock itself decides whether anybody does: what stands in
/// its file may be of a process that ended long ago, and its number may be another's by now.
struct LockOwner: CustomStringConvertible {
  /// "pid 4711, since 2026-11-20 22:24:16 +0000", or that it is not known.
  let description: String

  /// - Parameters:
  ///   - lock: the open lock file, whose lock was refused.
  ///   - path: where that is.
  init(of lock: Int32, path: String) {
    let lines = Self.text(path).split(separator: "\n").prefix(2)
    guard let pid = lines.first?.split(separator: " ").last.flatMap({ Int32($0) }), Self.holds(pid, lock) else {
      description = "another process"
      return
    }
    description = lines.joined(separator: ", ")
  }

  /// Whether the process has a lock on the file, as far as the kernel tells.
  private static func holds(_ pid: Int32, _ lock: Int32) -> Bool {
    var status = stat()
    // Without the list of locks (proc_locks(5)), a process that lives is believed.
    let locks = Self.text("/proc/locks")
    guard !locks.isEmpty, fstat(lock, &status) == 0 else {
      return pid > 0 && kill(pid, 0) == 0
    }
    // "1: FLOCK  ADVISORY  WRITE 4711 fe:00:16433967 0 EOF". The device is another than stat's on some file systems.
    return locks.split(separator: "\n").contains { line in
      let fields = line.split(separator: " ")
      return fields.count > 5 && fields[1] == "FLOCK" && fields[4] == String(pid)
        && fields[5].hasSuffix(":\(status.st_ino)")
    }
  }

  /// What is in a file; nothing if it cannot be read.
  private static func text(_ path: String) -> String {
    String(decoding: (try? FileSystem.contents(of: path, maxBytes: 1024 * 1024)) ?? [], as: UTF8.self)
  }
}
