package import Glibc

/// The address of a socket of this machine (unix(7)): in the file system, or an abstract one. `ControlSocket` and
/// `ServiceManager` in SelfieServer open the sockets.
///
/// An address takes a path of 107 bytes at most. The folder of a longer one is opened, and the path leads through its
/// descriptor in /proc. To change the working folder instead would change it for all threads.
package struct UnixSocketAddress {
  private let path: [UInt8]
  /// Keeps the descriptor in the path open.
  private let folder: OpenFile?
  private let length: Int

  private static let maxPathBytes = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// - Throws: an error of the folder of a path that is too long.
  package init(path: String) throws(FileError) {
    length = MemoryLayout<sockaddr_un>.size
    guard path.utf8.count > Self.maxPathBytes else {
      self.path = Array(path.utf8)
      folder = nil
      return
    }
    let parent = FileSystem.parent(of: path)
    let folder = try OpenFile(parent, O_RDONLY | O_DIRECTORY)
    self.folder = folder
    let short = "/proc/self/fd/\(folder.descriptor)/\(path.split(separator: "/").last ?? "")"
    guard short.utf8.count <= Self.maxPathBytes else { throw FileError("open", path, number: ENAMETOOLONG) }
    self.path = Array(short.utf8)
  }

  /// - Throws: an error if the name is too long.
  package init(abstractName name: String) throws(FileError) {
    guard name.utf8.count <= Self.maxPathBytes else { throw FileError("connect", name, number: ENAMETOOLONG) }
    path = [0] + name.utf8
    folder = nil
    // All bytes of the length belong to an abstract name, and zeros at its end would make it another one.
    length = MemoryLayout<sockaddr_un>.size - MemoryLayout.size(ofValue: sockaddr_un().sun_path) + path.count
  }

  package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The path is shorter than the place for it, which is filled with zeros.
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        withExtendedLifetime(folder) { [pointer = $0] in body(pointer, socklen_t(length)) }
      }
    }
  }
}
