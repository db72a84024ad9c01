import Glibc
import Platform

extension Settings {
  /// Refuses a storage folder that only another user may read, before any file in it fails to open.
  func requireAccess() throws(ConfigurationError) {
    var status = stat()
    guard stat(storageDir, &status) == 0, access(storageDir, R_OK | X_OK) != 0, errno == EACCES else { return }
    throw ConfigurationError("\(storageDir) \(MachineUser(id: status.st_uid).remedy)")
  }
}

/// A user of this machine.
struct MachineUser {
  private let id: uid_t

  init(id: uid_t) {
    self.id = id
  }

  /// The end of a message about what belongs to this user.
  var remedy: String {
    // As sudo takes both.
    let name = getpwuid(id).map { String(cString: $0.pointee.pw_name) }
    return "belongs to the user \(name ?? "\(id)"). Run the command as that user, with sudo -u \(name ?? "'#\(id)'")."
  }
}
