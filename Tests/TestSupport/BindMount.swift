import Foundation
import Glibc

/// Another mount of a folder, by bindfs: a FUSE file system that passes on no locks. Only root may make one.
package final class BindMount: Sendable {
  package static let isPossible: Bool = {
    guard let source = try? TemporaryFolder() else { return false }
    return (try? BindMount(of: source.path)) != nil
  }()

  package let path: String

  /// - Parameter options: as for bindfs(1).
  package init(of source: String, options: [String] = []) throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("selfie-bind-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let program = try Program(
      "/usr/bin/bindfs", options + [source, path], environment: ["PATH": "/usr/bin:/bin"], output: STDERR_FILENO,
      errors: STDERR_FILENO)
    guard program.end() == 0 else {
      rmdir(path)
      throw NotPossible("bindfs")
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }
}
