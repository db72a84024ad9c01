import Glibc
package import Platform
import SelfieAPI

/// Finds what other users can read of the storage, for the doctor, and closes it when a server starts.
/// `Settings.requireAccess` in SelfieServer refuses a process of the wrong user.
package struct StoragePermissions: Sendable {
  /// The folder itself, and what a server has in it.
  static let names = [
    ".", StorageLayout.database, "\(StorageLayout.database)-wal", "\(StorageLayout.database)-shm",
    StorageLayout.credentials, StorageLayout.reserve, StorageLayout.photos, StorageLayout.incoming,
    StorageLayout.lostAndFound, StorageLayout.tls,
  ]

  private let layout: StorageLayout
  /// The server's: that of this process or, for root, the database's owner.
  let user: uid_t

  package init(storage: String) {
    layout = StorageLayout(folder: storage)
    user = geteuid() != 0 ? geteuid() : (try? FileSystem.status(layout.database))?.owner ?? 0
  }

  /// Advice about a path that is open, after its name in a sentence.
  package func remedy(_ path: String) -> String {
    let owner = (try? FileSystem.status(path))?.owner
    return "other users can access it. Restrict it with: chmod \(owner == user ? "go=" : "o=") \(path)"
  }

  /// Whether others than the owner may look into the folder, and it has files but none of a server. Such a folder has
  /// another purpose, which closing it might end.
  package var isForeign: Bool {
    guard let status = try? FileSystem.status("\(layout.folder)/."), status.permissionsOfOthers(than: user) != 0,
      let names = try? Set(FileSystem.names(in: layout.folder).filter { !StorageLayout.isNegligible($0) })
    else { return false }
    return !names.isEmpty && names.isDisjoint(with: Self.names + [StorageLayout.lock, StorageLayout.restoring])
  }

  /// A warning about a file or a folder whose permissions were restricted to no effect.
  package static func ignored(_ path: String) -> String {
    """
    other users of this machine can read \(path): its file system ignores permissions. Mount it with uid= and umask=077, or \
    use another disk
    """
  }

  /// Something in the folder that others than the owner could use.
  package struct OpenEntry: Sendable {
    /// As seen from the folder, which is a dot itself.
    package let name: String
    fileprivate let status: FileStatus
    /// Whether only the owner can use it now.
    package fileprivate(set) var isClosed = false
  }

  /// Closes everything to others than the owner. Returns what was open.
  package func close() throws(FileError) -> [OpenEntry] {
    try open().map { (entry) throws(FileError) in
      var entry = entry
      try close(path(entry.name), entry.status)
      entry.isClosed = try FileSystem.status(layout.path(entry.name)).map(isOpen) == false
      return entry
    }
  }

  /// The entries that users other than the owner can use.
  func open() throws(FileError) -> [OpenEntry] {
    var found: [OpenEntry] = []
    for name in Self.names {
      guard let status = try FileSystem.status(layout.path(name)), isOpen(status) else { continue }
      found.append(OpenEntry(name: name, status: status))
    }
    return found
  }

  func isOpen(_ status: FileStatus) -> Bool { status.permissionsOfOthers(than: user) != 0 && status.kind != .other }

  func close(_ path: some FilePath, _ status: FileStatus) throws(FileError) {
    try FileSystem.setPermissions(path, status.permissions & ~status.permissionsOfOthers(than: user))
  }

  /// - Parameter name: as seen from the folder.
  package func path(_ name: String) -> String { name == "." ? layout.folder : layout.path(name) }
}
