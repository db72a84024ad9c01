import SelfieAPI

/// An entry of a backup, under the name that it has in a storage. There are no others, and they are in this order.
enum BackupEntry: Equatable {
  case photo(id: String)
  /// The API's name and password, if the server made them.
  case credentials
  case database
  /// The last, since it has the digests of all others.
  case manifest

  /// Nil for every other name. None of the names leads out of the folder.
  init?(name: String) {
    switch name {
    case StorageLayout.credentials: self = .credentials
    case StorageLayout.database: self = .database
    case "manifest.jsonl": self = .manifest
    default:
      let id = String(name.utf8.suffix(Photo.idLength)) ?? ""
      guard Photo.isID(id.utf8), StorageLayout.photo(id) == name else { return nil }
      self = .photo(id: id)
    }
  }

  var name: String {
    switch self {
    case .photo(let id): StorageLayout.photo(id)
    case .credentials: StorageLayout.credentials
    case .database: StorageLayout.database
    case .manifest: "manifest.jsonl"
    }
  }

  /// Whether this may follow the other entry. There can be several photos, but only one of each other kind.
  func mayFollow(_ other: BackupEntry?) -> Bool {
    switch (other?.rank ?? 0, rank) {
    case (0, 0): true
    case (let before, let after): before < after
    }
  }

  private var rank: Int {
    switch self {
    case .photo: 0
    case .credentials: 1
    case .database: 2
    case .manifest: 3
    }
  }
}
