import Cryptography
import Glibc
import HTTPMessages
import Platform
import SelfieAPI

/// Notices a second server that reaches a storage by another mount: FUSE, for example, passes on no locks. `Storage`
/// takes the lock.
///
/// The lock's file names its holder. A server that may not be alone says there that it is starting, and waits. One that
/// runs already writes its own name again, and the other does not start. If both run nonetheless, the first ends.
struct LockHolder: Sendable {
  /// How often a running server looks, in microseconds. One that starts looks ten times as often, and waits for as long as
  /// four looks of the other.
  private static let interval: UInt32 = 500_000

  private let storage: String
  private let id = RandomSource.system.lettersAndDigits(16)
  private var path: String { StorageLayout(folder: storage).lock }

  /// Returns once no other process can be using the storage. The caller must hold the lock.
  ///
  /// - Throws: `StorageInUse`.
  init(of storage: String) throws {
    self.storage = storage
    let isAlone = FileSystem.remoteKind(of: storage) == nil && Self.hasEnded(Self.text(of: path) ?? "")
    if !isAlone, write("starting") {
      for _ in 0..<40 {
        usleep(Self.interval / 10)
        guard Self.text(of: path)?.contains(id) ?? true else { throw StorageInUse(path: storage, lock: path) }
      }
    }
    _ = write("running")
    _ = try Thread(named: "lock") { [self] in
      while true {
        usleep(Self.interval)
        look()
      }
    }
  }

  private func look() {
    guard let text = Self.text(of: path), !text.contains(id) else { return }
    guard text.contains("running") else { return _ = write("running") }
    let other = text.split(separator: "\n").prefix(2).joined(separator: ", ")
    Terminal.writeLines(
      "selfie-server: Another server uses \(storage) by another mount (\(other)). This one ends at once. What it has "
        + "acknowledged is on the disk.", to: STDERR_FILENO)
    _exit(1)
  }

  /// Returns false if there is no room on the disk, for example, which must keep no server from starting.
  private func write(_ state: String) -> Bool {
    let lines = ["pid \(getpid())", "since \(Timestamp.text(unixMilliseconds: unixMilliseconds()))", state, id]
    let text = Array((lines + [Self.machine]).joined(separator: "\n").utf8)
    guard let file = try? OpenFile(path, O_WRONLY | O_CREAT | O_NOFOLLOW, permissions: 0o600),
      (try? FileSystem.write(text[...], to: file, path: path)) != nil
    else { return false }
    return ftruncate(file.descriptor, off_t(text.count)) == 0
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
