import Glibc
import Platform
import SelfieAPI

/// `control.sock` in the storage folder, through which the owner's commands reach a running server.
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

  /// Makes sure that a connection leads to this user's server. Root may also use that of the folder's owner.
  ///
  /// - Returns: false if there is no socket.
  func check() throws -> Bool {
    guard let owner = try owner() else { return false }
    var folder = stat()
    let isFolders = stat(FileSystem.parent(of: path), &folder) == 0 && folder.st_uid == owner
    guard owner == geteuid() || geteuid() == 0 && isFolders else { throw foreign(owner) }
    return true
  }

  /// The user id of the socket's owner; nil if there is none.
  private func owner() throws -> uid_t? {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT || errno == ENOTDIR else { throw FileError("lstat", path) }
      return nil
    }
    guard status.st_mode & S_IFMT == S_IFSOCK else {
      throw ConfigurationError("\(path) is no socket. Move it out of the way: the server needs its name.")
    }
    return status.st_uid
  }

  private func foreign(_ owner: uid_t) -> ConfigurationError {
    ConfigurationError("\(path) \(MachineUser(id: owner).remedy) Or remove the file while no server runs.")
  }
}
