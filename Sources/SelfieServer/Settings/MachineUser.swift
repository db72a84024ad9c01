import Glibc
import Platform
import SelfieAPI

// Checks the user of this process. `StoragePermissions` in SelfieOperations closes the storage to other users.
extension Settings {
  /// Refuses a storage that this process's user may not use, before anything in it fails to open. Refuses root if what
  /// root creates there would be of no use to the server's user.
  ///
  /// - Parameter writes: whether this process creates files in the storage.
  func requireAccess(writes: Bool = false) throws(ConfigurationError) {
    let (layout, user) = (StorageLayout(folder: storageDir), geteuid())
    let owner = { (path: String) in (try? FileSystem.status(path))?.owner }
    if user == 0 {
      let owners = [layout.folder, layout.database].compactMap(owner)
      guard writes, let owner = owners.first(where: { $0 != 0 }) else { return }
      throw ConfigurationError("\(storageDir) \(belonging(to: owner)) The user could not open what root creates.")
    }
    for path in [layout.folder, layout.lock, layout.photos, layout.incoming, layout.database] {
      let permissions = R_OK | (writes ? W_OK : 0) | (FileSystem.isFolder(path) ? X_OK : 0)
      guard access(path, permissions) != 0, errno == EACCES, let owner = owner(path) else { continue }
      let gift = "as root: chown -R \(user):\(getegid()) \(storageDir)"
      throw ConfigurationError(
        owner == user
          ? "\(path) is closed to its owner. Run chmod u+rwX \(path) or, in a container with SELinux, mount it with :Z."
          : path == layout.folder
            ? "\(path) \(belonging(to: owner))" + (writes ? " If user \(user) is to run the server, run \(gift)" : "")
            : "\(path) belongs to user \(owner), and user \(user), who runs this, may not use it. Run \(gift)")
    }
  }
}

/// The end of a message about what belongs to another user of this machine.
func belonging(to user: uid_t) -> String {
  // As sudo takes both.
  let name = getpwuid(user).map { String(cString: $0.pointee.pw_name) }
  return "belongs to the user \(name ?? "\(user)"). Run the command as that user, with sudo -u \(name ?? "'#\(user)'")."
}
