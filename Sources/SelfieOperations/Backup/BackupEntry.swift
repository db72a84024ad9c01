import SelfieAPI

/// An entry of a backup, under the name that it has in a storage. There are no others, and they are in this order.
/// `TarHeader` has the form of an entry in the archive.
enum BackupEntry: Comparable {
  case photo(id: String)
  /// The API's name and password, if the server made them.
  case credentials
  case database
  /// The last, since it has the digests of all others.
  case manifest

  /// Nil for every other name. None of the names leads out of the folder.
  init?(name: String) {
    let photo = BackupEntry.photo(id: String(name.utf8.suffix(Photo.idLength)) ?? "")
    guard let entry = [.credentials, .database, .manifest, photo].first(where: { $0.name == name }) else { return nil }
    if case .photo(let id) = entry, !Photo.isID(id.utf8) { return nil }
    self = entry
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
    if case .photo = self { return other.map { $0 < .credentials } ?? true }
    return other.map { $0 < self } ?? true
  }
}
