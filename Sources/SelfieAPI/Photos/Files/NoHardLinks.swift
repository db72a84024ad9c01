import Platform

/// The storage cannot give a file two names, which photos need to survive a crash.
struct NoHardLinks: Error, CustomStringConvertible {
  let layout: StorageLayout
  let cause: FileError

  var description: String {
    """
    \(layout.incoming) and \(layout.photos) must be folders of one file system that has hard links, such as ext4, \
    XFS, btrfs or ZFS (\(cause)). Move them there, or set another STORAGE_DIR.
    """
  }
}
