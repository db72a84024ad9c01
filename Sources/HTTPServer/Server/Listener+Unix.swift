import Glibc
import Platform

extension Listener {
  /// Binds to a path in the file system, for programs of this process's user on this machine only. There must be
  /// nothing at the path.
  ///
  /// - Throws: `SystemError`, or `FileError` if the path's folder cannot be opened.
  public convenience init(unixSocket path: String) throws {
    let address = try UnixSocketAddress(path: path)
    let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_UNIX, type, 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    // The file gets the permissions of the socket, less the umask: there is no instant at which others may connect.
    guard fchmod(descriptor, 0o600) == 0, address.withPointer({ bind(descriptor, $0, $1) }) == 0 else {
      let error = SystemError("bind")
      close(descriptor)
      throw error
    }
    self.init(owning: descriptor, host: path, port: 0)
  }
}
