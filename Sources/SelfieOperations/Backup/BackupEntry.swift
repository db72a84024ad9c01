import SelfieAPI

/// What a backup holds, each under the name that it has in a storage: this and nothing else, in this order.
enum BackupEntry: Equatable {
  case photo(id: String)
  /// The API's name and password, where the server made them.
  case credentials
  case database
  /// Last, since it tells the digests of all others.
  case manifest

  /// Nil for every other name: none of these leads out of a folder.
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

  /// Whether this may stand behind the other one; only photos come more than once.
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
