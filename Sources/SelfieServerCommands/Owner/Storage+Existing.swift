import Glibc
import Platform
import SelfieAPI

extension Storage {
  /// Opens the storage of a server that does not run, for a command that does the server's work.
  ///
  /// - Throws: `StorageInUse` if another process has the lock, or a `ConfigurationError`.
  static func existing(_ settings: Settings) throws -> Storage {
    let layout = StorageLayout(folder: settings.storageDir)
    guard try FileSystem.exists(layout.database) else {
      throw ConfigurationError(
        "\(settings.storageDir) is no server's storage. Start the server once, or set STORAGE_DIR to its folder.")
    }
    var database = stat()
    // The server could not open files that root has made.
    if geteuid() == 0, stat(layout.database, &database) == 0, database.st_uid != 0 {
      throw ConfigurationError("No server runs, and \(settings.storageDir) \(MachineUser(id: database.st_uid).remedy)")
    }
    return try Storage(settings)
  }
}
