import Foundation
import Glibc

/// An overlay file system, as a container's own layer is. Only root may make one.
package final class OverlayMount: Sendable {
  package static let isPossible = (try? OverlayMount()) != nil

  package let path: String
  private let layers: SmallDisk

  package init() throws {
    // Not every file system can be a layer.
    layers = try SmallDisk(megabytes: 100)
    for name in ["lower", "upper", "work", "merged"] {
      try FileManager.default.createDirectory(atPath: "\(layers.path)/\(name)", withIntermediateDirectories: true)
    }
    path = "\(layers.path)/merged"
    let options = ["lower", "upper", "work"].map { "\($0)dir=\(layers.path)/\($0)" }.joined(separator: ",")
    guard mount("overlay", path, "overlay", 0, options) == 0 else { throw NotPossible("mount: \(errno)") }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
  }
}
