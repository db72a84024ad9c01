import Platform
import SelfieAPI

/// Only the owner may read the storage. A server closes it when it starts, and the doctor finds what is open.
public struct StoragePermissions {
  /// The folder itself, and what a server has in it.
  static let names = [
    ".", StorageLayout.database, "\(StorageLayout.database)-wal", "\(StorageLayout.database)-shm",
    StorageLayout.credentials, StorageLayout.reserve, StorageLayout.photos, StorageLayout.incoming,
    StorageLayout.lostAndFound, StorageLayout.tls,
  ]
  /// Names that a folder may have without having been a server's.
  private static let negligible: Set<String> = [".gitkeep", StorageLayout.lostAndFound]

  private let layout: StorageLayout

  public init(storage: String) {
    layout = StorageLayout(folder: storage)
  }

  /// Advice about a path that is open, after its name in a sentence.
  public static func remedy(_ path: String) -> String {
    "other users can access it. Restrict it with: chmod go= \(path)"
  }

  /// Whether others than the owner may look into the folder, and it has files but none of a server. Such a folder has
  /// another purpose, which closing it might end.
  public var isForeign: Bool {
    guard let status = try? FileSystem.status("\(layout.folder)/."), status.isOpenToOthers,
      let names = try? Set(FileSystem.names(in: layout.folder)).subtracting(Self.negligible)
    else { return false }
    return !names.isEmpty && names.isDisjoint(with: Self.names + [StorageLayout.lock, StorageLayout.restoring])
  }

  /// Closes everything to others than the owner.
  ///
  /// - Returns: what was open, as seen from the folder.
  public func close() throws(FileError) -> [String] {
    let open = try open()
    for (name, status) in open { try FileSystem.setPermissions(path(name), status.permissions & 0o700) }
    return open.map(\.name)
  }

  /// The names that others than the owner may use, as seen from the folder.
  func open() throws(FileError) -> [(name: String, status: FileStatus)] {
    let all = try Self.names.map { (name) throws(FileError) in (name, try FileSystem.status(layout.path(name))) }
    return all.compactMap { name, status in
      status.flatMap { $0.isOpenToOthers && $0.kind != .other ? (name: name, status: $0) : nil }
    }
  }

  /// - Parameter name: as seen from the folder.
  public func path(_ name: String) -> String { name == "." ? layout.folder : layout.path(name) }
}
