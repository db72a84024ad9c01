import Platform
import SelfieAPI

/// A folder that has the files of a storage, or may get them, and is none: a server would change a backup, which then could
/// not be restored, or begin anew within another storage.
package enum MisplacedStorage {
  /// Why a folder cannot be the storage, and what to do instead; nil for any other folder.
  package static func problem(with path: String) throws -> String? {
    guard let real = FileSystem.realPath(path) else { return nil }
    if let moment = Moment(real), try FileSystem.exists(moment.layout.path(Moment.descriptionName)) {
      return "\(path) is a backup, and a server would change it. \(remedy(path))"
    }
    if let newest = try BackupFolder(path: real).moments().first {
      return "\(path) has backups, and a server would change it. \(remedy("\(path)/\(newest.name)"))"
    }
    let outer = StorageLayout(folder: FileSystem.parent(of: real))
    guard try StorageLayout(folder: real).storageState == .new, try FileSystem.exists(outer.database) else {
      return nil
    }
    return "\(path) is a folder in the storage \(outer.folder). Set STORAGE_DIR to that."
  }

  private static func remedy(_ backup: String) -> String {
    "Set STORAGE_DIR to a new folder, and restore the backup into it: selfie-server restore \(backup.shellWord)"
  }
}
