package import Glibc

/// The status of a name in the file system (lstat(2)). `FileSystem` reads it, and `StoragePermissions` in
/// SelfieOperations says which permissions are wrong.
package struct FileStatus {
  package enum Kind {
    case file, folder, other
  }

  package let kind: Kind
  package let byteCount: Int64
  /// Of the file system.
  package let device: UInt64
  /// Equal for all names of a file.
  package let inode: UInt64
  /// The id of a user.
  package let owner: UInt32
  /// The lower nine bits of the mode.
  package let permissions: UInt32
  /// Unix seconds.
  package let modifiedAt: Int64

  package init(_ status: stat) {
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      default: .other
      }
    byteCount = Int64(status.st_size)
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    owner = status.st_uid
    permissions = status.st_mode & 0o777
    modifiedAt = Int64(status.st_mtim.tv_sec)
  }

  /// The permissions of others than root and this user. The group of another owner's file may be the user's only way to
  /// it, as with Kubernetes' fsGroup.
  package func permissionsOfOthers(than user: UInt32) -> UInt32 { permissions & (owner == user ? 0o077 : 0o007) }
}
