import Glibc
import Synchronization

/// Room on a disk, set aside for the writes that make room: a file that is emptied when the disk is full. `Writer` in
/// SQLite decides which writes may use the room, and `PhotoLibrary` in SelfieAPI renews it.
///
/// Its blocks are allocated. While it is empty, only those writes may store anything, since others would take the
/// room that was made for them.
package final class DiskReserve: Sendable {
  private let path: String
  private let byteCount: Int64
  /// How many writes are using the released room. Meanwhile it must not be taken back.
  private let spenders = Monitor(0)
  /// Read without the lock by each write that may not use the reserve.
  private let isHeld: Atomic<Bool>

  /// Finds the reserve as an earlier process has left it. ``renew()`` makes one.
  package init(path: String, byteCount: Int64) {
    self.path = path
    self.byteCount = byteCount
    isHeld = Atomic(Self.isAllocated(path, byteCount))
  }

  /// Runs `body` once more, for which the disk was full: without the reserve, of which `body` may use what it needs.
  package func spend<Result, Failure>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    spenders.withLock { spenders in
      spenders += 1
      guard isHeld.exchange(false, ordering: .acquiringAndReleasing) else { return }
      // If it cannot be emptied, `body` finds the disk as full as before.
      try? empty()
    }
    defer { spenders.withLock { $0 -= 1 } }
    return try body()
  }

  private func empty() throws(FileError) {
    let file = try OpenFile(path, O_WRONLY | O_NOFOLLOW | O_NONBLOCK)
    guard ftruncate(file.descriptor, 0) == 0 else { throw FileError("ftruncate", path) }
    // A file system with a journal gives the blocks to others only once it has noted that they are free.
    try FileSystem.sync(file, path: path)
  }

  /// Whether there is something to release.
  package var isWhole: Bool { isHeld.load(ordering: .acquiring) }

  /// Throws if the disk is too full for anything but the writes that make room. Tries to renew the reserve before.
  package func check() throws(FileError) {
    guard !isWhole else { return }
    do {
      try renewIfUnused()
    } catch  where error.isDiskFull && error.number != EFBIG {
      throw error
    } catch {
      // A disk that is not full for that reason needs no reserve, and what is wrong with it is the write's to find.
    }
  }

  /// Allocates the reserve if it is not there and there is room for it.
  package func renew() {
    try? check()
  }

  private func renewIfUnused() throws(FileError) {
    try spenders.withLock { (spenders) throws(FileError) in
      guard !isWhole else { return }
      guard spenders == 0 else { throw FileError("posix_fallocate", path, number: ENOSPC) }
      try allocate()
      isHeld.store(true, ordering: .releasing)
    }
  }

  private func allocate() throws(FileError) {
    // An attempt that fails may take all the room there is for an instant.
    guard try FileSystem.freeBytes(at: FileSystem.parent(of: path)) >= byteCount else {
      throw FileError("posix_fallocate", path, number: ENOSPC)
    }
    let file = try OpenFile(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, permissions: 0o600)
    var number: Int32
    repeat {
      // Where the file system cannot allocate, this writes to each block (posix_fallocate(3)).
      number = posix_fallocate(file.descriptor, 0, off_t(byteCount))
    } while number == EINTR
    guard number == 0 else {
      // Otherwise the blocks allocated before the error are not given back.
      _ = ftruncate(file.descriptor, 0)
      throw FileError("posix_fallocate", path, number: number)
    }
  }

  /// Whether the file is there as a whole. A hole would take no room, and so give none.
  private static func isAllocated(_ path: String, _ byteCount: Int64) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && Int64(status.st_size) >= byteCount
      && Int64(status.st_blocks) * 512 >= byteCount
  }
}
