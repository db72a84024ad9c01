import Glibc
import Platform
import SelfieAPI

extension StorageCheck {
  /// The free space below which an owner should act: room for a few dozen photos, or the share that file systems need
  /// to stay fast.
  private static let leastBytes: UInt64 = 1 << 30
  private static let leastPercent: UInt64 = 5

  /// Checks that only the owner may read the files.
  func checkPermissions() throws {
    let permissions = StoragePermissions(storage: storage)
    for name in StoragePermissions.names where try permissions.permissions(ifOpen: name) != nil {
      let path = permissions.path(name)
      if options.repairs { _ = try permissions.close(name) }
      found(
        .permissions, name == "." ? storage : name,
        options.repairs
          ? "it was open to others than its owner; it is closed"
          : "\(StoragePermissions.remedy(path)), or --repair.",
        isRepaired: options.repairs)
    }
  }

  func checkFreeSpace() throws {
    var status = statvfs()
    guard statvfs(storage, &status) == 0 else { throw FileError("statvfs", storage) }
    let (free, overflow) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
    let percent = Self.percent(status.f_bavail, of: status.f_blocks)
    guard !overflow, free < Self.leastBytes || percent < Self.leastPercent else { return }
    found(
      .freeSpace, storage,
      "\(free >> 20) MiB are free, \(percent) % of the file system. Uploads are refused when there is no room; make some."
    )
  }

  private static func percent(_ part: fsblkcnt_t, of whole: fsblkcnt_t) -> UInt64 {
    whole == 0 ? 100 : UInt64(part / max(1, whole / 100))
  }
}
