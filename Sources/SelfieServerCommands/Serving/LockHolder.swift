import Cryptography
import Glibc
import HTTPMessages
import Platform
import SelfieAPI

/// Notices a second server that reaches a storage by another mount: FUSE, for example, passes on no locks.
///
/// The lock's file names its holder. A server that may not be alone says there that it is starting, and waits. One that
/// runs already writes its own name again, and the other does not start. If both run nonetheless, the first ends.
struct LockHolder: Sendable {
  /// How often a running server looks, in microseconds.
  private static let interval: UInt32 = 500_000
  /// Long enough for any running server to look. In milliseconds.
  private static let wait: Int64 = 2000

  private let storage: String
  private let id = RandomSource.system.lettersAndDigits(16)
  private var path: String { StorageLayout(folder: storage).lock }

  /// Returns once no other process can be using the storage. The caller must hold the lock.
  ///
  /// - Throws: `StorageInUse`, or `FileError`.
  init(of storage: String) throws {
    self.storage = storage
    if FileSystem.remoteKind(of: storage) != nil || !Self.hasEnded(Self.text(of: path) ?? "") {
      try write("starting")
      let deadline = monotonicMilliseconds() + Self.wait
      while monotonicMilliseconds() < deadline {
        usleep(Self.interval / 10)
        guard Self.text(of: path)?.contains(id) ?? true else { throw StorageInUse(path: storage, lock: path) }
      }
    }
    try write("running")
    _ = try Thread(named: "lock") { [self] in
      while true {
        usleep(Self.interval)
        look()
      }
    }
  }

  private func look() {
    guard let text = Self.text(of: path), !text.contains(id) else { return }
    guard text.contains("running") else {
      try? write("running")
      return
    }
    Terminal.writeLines(
      """
      selfie-server: Another server uses \(storage) by another mount (\(text.split(separator: "\n").prefix(2).joined(
      separator: ", "))). This one ends at once, so that they do not damage the database. What it has acknowledged is on \
      the disk.
      """, to: STDERR_FILENO)
    _exit(1)
  }

  private func write(_ state: String) throws(FileError) {
    let lines = ["pid \(getpid())", "since \(Timestamp.text(unixMilliseconds: unixMilliseconds()))", state, id]
    let text = (lines + [Self.machine]).joined(separator: "\n")
    let flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW
    do throws(FileError) {
      try FileSystem.write(Array(text.utf8)[...], to: OpenFile(path, flags, permissions: 0o600), path: path)
    } catch {
      // A server must start on a full disk, so that photos can be deleted. It writes again when it looks.
      guard error.isDiskFull else { throw error }
    }
  }

  /// Empty if there is no file; nil if it cannot be read now.
  static func text(of lock: String) -> String? {
    (try? FileSystem.contents(of: lock, maxBytes: 1024) ?? []).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether the holder has said so, or was a process here that has ended.
  private static func hasEnded(_ text: String) -> Bool {
    text.isEmpty || text.hasSuffix(machine) && !isAlive(text)
  }

  /// Whether the number of a text's process is that of one that runs.
  static func isAlive(_ text: String) -> Bool {
    let pid = text.split(separator: "\n").first?.split(separator: " ").last.flatMap { pid_t($0) } ?? 0
    return pid > 0 && kill(pid, 0) == 0
  }

  /// Where the numbers of processes are the same: the start of a machine, and a container.
  private static let machine: String = {
    var namespace = stat()
    stat("/proc/self/ns/pid", &namespace)
    return "\(namespace.st_ino) \(text(of: "/proc/sys/kernel/random/boot_id") ?? "")"
  }()
}
