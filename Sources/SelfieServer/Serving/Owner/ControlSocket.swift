import Glibc
import Platform
import SelfieAPI

/// `control.sock` in the storage folder, through which the owner's commands reach a running server. `OwnerServer`
/// listens on the socket, and `OwnerConnection` connects to it.
struct ControlSocket {
  let path: String

  init(storage: String) {
    path = StorageLayout(folder: storage).controlSocket
  }

  /// Removes the socket of a server that was killed. The caller must hold the storage's lock, so that no server uses it.
  ///
  /// - Throws: an error if there is something that no server of this user has made.
  func removeStale() throws {
    guard let owner = try owner() else { return }
    guard owner == geteuid() else { throw foreign(owner) }
    try FileSystem.remove(path)
  }

  /// Begins to listen, for programs of this process's user on this machine only. There must be nothing at the path.
  func listen() throws -> OpenFile {
    let address = try UnixSocketAddress(path: path)
    let listener = try Self.socket()
    // The file gets the permissions of the socket, less the umask: there is no instant at which others may connect.
    guard fchmod(listener.descriptor, 0o600) == 0, address.withPointer({ bind(listener.descriptor, $0, $1) }) == 0,
      Glibc.listen(listener.descriptor, SOMAXCONN) == 0
    else { throw SystemError("bind") }
    return listener
  }

  /// Connects to this user's server; nil if none listens. Root may also use that of the folder's owner.
  func connect() throws -> OpenFile? {
    guard let owner = try owner() else { return nil }
    var folder = stat()
    let isFolders = stat(FileSystem.parent(of: path), &folder) == 0 && folder.st_uid == owner
    guard owner == geteuid() || geteuid() == 0 && isFolders else { throw foreign(owner) }
    let (address, connection) = (try UnixSocketAddress(path: path), try Self.socket())
    guard address.withPointer({ Glibc.connect(connection.descriptor, $0, $1) }) == 0 else {
      if [ENOENT, ECONNREFUSED].contains(errno) { return nil }
      throw FileError("connect", path)
    }
    return connection
  }

  private static func socket() throws -> OpenFile {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    return OpenFile(owning: descriptor)
  }

  /// The user id of the socket's owner; nil if there is none.
  private func owner() throws -> uid_t? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw FileError("lstat", path) }
      return nil
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ConfigurationError("\(path) is not a socket. Move it away: the server needs that name.")
    }
    return status.st_uid
  }

  private func foreign(_ owner: uid_t) -> ConfigurationError {
    ConfigurationError("\(path) \(belonging(to: owner)) Or remove the file while no server runs.")
  }
}
