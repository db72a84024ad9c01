import Foundation
import Glibc

/// A file system of its own, of a few megabytes, that a test may fill. Only root may make one.
package final class SmallDisk: Sendable {
  package static let isPossible = (try? SmallDisk(megabytes: 1)) != nil

  package let path: String
  private var filler: String { "\(path)/filler" }

  /// - Parameter files: how many files and folders it may have.
  package init(megabytes: Int, files: Int? = nil) throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("selfie-disk-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(megabytes)m,mode=700\(files.map { ",nr_inodes=\($0)" } ?? "")") == 0
    else {
      let number = errno
      rmdir(path)
      throw NotPossible("mount: \(String(cString: strerror(number)))")
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }

  /// Takes all the room that is left.
  package func fill() throws { try Self.fill(filler) }

  /// Makes a file as large as its file system has room.
  package static func fill(_ filler: String) throws {
    let file = open(filler, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw NotPossible("\(filler): \(errno)") }
    defer { close(file) }
    for size in [1 << 20, 4096] {
      let block = [UInt8](repeating: 0, count: size)
      while write(file, block, size) > 0 {}
    }
  }

  /// Makes files until this many more can be made.
  package func leave(files: UInt64) throws {
    var status = statvfs()
    var number = 0
    while statvfs(path, &status) == 0, status.f_favail > files {
      number += 1
      let file = open("\(path)/filler\(number)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw NotPossible("open: \(errno)") }
      close(file)
    }
  }

  package func makeReadOnly() throws {
    guard mount(nil, path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else { throw NotPossible("mount: \(errno)") }
  }

  /// Gives the room back that ``fill()`` has taken.
  package func makeRoom() {
    unlink(filler)
  }
}
