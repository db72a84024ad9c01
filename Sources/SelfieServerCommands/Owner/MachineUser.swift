import Glibc
import Platform

extension Settings {
  /// Refuses a storage folder that only another user may read, before any file in it fails to open.
  func requireAccess() throws(ConfigurationError) {
    var status = stat()
    guard stat(storageDir, &status) == 0, access(storageDir, R_OK | X_OK) != 0, errno == EACCES else { return }
    throw ConfigurationError("\(storageDir) \(belonging(to: status.st_uid))")
  }
}

/// The end of a message about what belongs to another user of this machine.
func belonging(to user: uid_t) -> String {
  // As sudo takes both.
  let name = getpwuid(user).map { String(cString: $0.pointee.pw_name) }
  return "belongs to the user \(name ?? "\(user)"). Run the command as that user, with sudo -u \(name ?? "'#\(user)'")."
}
