import Glibc

/// The status of a name in the file system (lstat(2)).
package struct FileStatus {
  package enum Kind {
    case file, folder, other
  }

  package let kind: Kind
  package let byteCount: Int64
  /// Equal for all names of a file.
  package let inode: UInt64
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
    inode = UInt64(status.st_ino)
    permissions = status.st_mode & 0o777
    modifiedAt = Int64(status.st_mtim.tv_sec)
  }

  /// Whether other users than the owner and root have any permission.
  package var isOpenToOthers: Bool { permissions & 0o077 != 0 }
}
