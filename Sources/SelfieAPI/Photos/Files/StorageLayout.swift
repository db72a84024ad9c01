/// Where everything is in a storage folder: no other file spells these names. `Storage` in SelfieServer opens and locks
/// the folder, and `PhotoFiles` writes the photos.
///
/// A static property is a name as seen from the folder; an instance's properties are paths.
package struct StorageLayout: Sendable {
  package static let database = "selfie.sqlite3"
  /// The API's name and password, where the server made them.
  package static let credentials = "credentials.env"
  /// Locked by the one server that uses the storage.
  package static let lock = "lock"
  /// Room that is set aside for deletions.
  package static let reserve = "reserve"
  /// Each photo's file, in a folder named by the first two letters of its id.
  package static let photos = "photos"
  /// Uploads under way, by the ids of their photos.
  package static let incoming = "incoming"
  /// Files that no row knows, and rows without files: see `LostAndFound`. File systems use this name for the same.
  package static let lostAndFound = "lost+found"
  /// Certificates that earlier versions made.
  package static let tls = "tls"
  /// The part of its archive that a restore has extracted so far.
  package static let restoring = "restoring"

  /// Names that other programs give a file or folder in any folder: file systems, git's users, a NAS, and Windows.
  private static let negligible: Set<String> = [
    lostAndFound, ".gitkeep", ".DS_Store", "@eaDir", ".snapshot", "#recycle", "Thumbs.db", "System Volume Information",
  ]

  /// Whether a file or folder of this name means nothing. Macs and desktops add a part to some.
  package static func isNegligible(_ name: String) -> Bool {
    negligible.contains(name) || name.hasPrefix("._") || name.hasPrefix(".Trash-")
  }

  package let folder: String

  package init(folder: String) {
    self.folder = folder
  }

  package var database: String { path(Self.database) }
  package var credentials: String { path(Self.credentials) }
  package var lock: String { path(Self.lock) }
  /// Takes the owner's commands, while a server runs.
  package var controlSocket: String { path("control.sock") }
  package var reserve: String { path(Self.reserve) }
  package var photos: String { path(Self.photos) }
  package var incoming: String { path(Self.incoming) }
  /// The bytes that exports and snapshots of a running server refer to.
  package var state: String { path("state") }
  package var lostAndFound: String { path(Self.lostAndFound) }
  package var restoring: String { path(Self.restoring) }
  /// Says that everything was moved to a cluster, and keeps a server from starting here by mistake.
  package var moved: String { path("moved") }
  /// The part of a backup that is extracted to put a photo back.
  package var backupCheck: String { path("backup.check") }

  /// - Parameter name: as seen from the folder.
  package func path(_ name: String) -> String { "\(folder)/\(name)" }

  // MARK: - Photos

  /// Letters of an id that name the folder of its file.
  private static let folderLetters = 2

  /// A photo's file, as seen from the folder.
  package static func photo(_ id: String) -> String { "\(photos)/\(id.prefix(folderLetters))/\(id)" }

  /// Whether it could be the name of a folder of photos.
  package static func isPhotoFolder(_ name: String) -> Bool {
    name.utf8.count == folderLetters && name.utf8.allSatisfy { (0x61...0x7a).contains($0 | 0x20) }
  }

  package func photo(_ id: String) -> String { path(Self.photo(id)) }

  /// The folder of a photo's file.
  package func photoFolder(of id: String) -> String { "\(photos)/\(id.prefix(Self.folderLetters))" }

  /// The file of an upload.
  package func upload(_ id: String) -> String { "\(incoming)/\(id)" }
}
