import Foundation
import Glibc

/// A file system in a file, as an owner's USB stick has it: vfat, which has no permissions and takes names in either case.
/// Only root may mount one, where mkfs.vfat (Debian's dosfstools) and loop devices are.
package final class LoopDisk: Sendable {
  package static let isPossible = (try? LoopDisk(megabytes: 1)) != nil

  package let path: String
  private var image: String { "\(path).img" }

  package init(megabytes: Int) throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("selfie-loop-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    guard FileManager.default.createFile(atPath: image, contents: nil), truncate(image, megabytes << 20) == 0 else {
      throw NotPossible("truncate: \(errno)")
    }
    for command in [["mkfs.vfat", image], ["mount", "-t", "vfat", "-o", "loop", image, path]] {
      let program = try Program(
        "/usr/bin/env", command, environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"], output: STDERR_FILENO,
        errors: STDERR_FILENO)
      guard program.end() == 0 else {
        unlink(image)
        rmdir(path)
        throw NotPossible(command[0])
      }
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
    unlink(image)
  }

  package func makeReadOnly() throws {
    guard mount(nil, path, nil, UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 else { throw NotPossible("mount: \(errno)") }
  }
}
