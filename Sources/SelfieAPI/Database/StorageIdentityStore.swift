package import SQL
import SQLite

/// Tells a storage from others: a random id that is made with its database. Backups, restores and moves keep it.
/// `Storage` in SelfieServer keeps a second server out of the folder.
package enum StorageIdentityStore {
  package static let id: Query = "SELECT id FROM storage_identity"
  /// Finds a row if there is an account of either app.
  package static let anyAccount: Query = "SELECT 1 FROM users UNION ALL SELECT 1 FROM microblog_users LIMIT 1"

  package static func replacement(_ id: String) -> Query {
    Query("UPDATE storage_identity SET id = $1", .text(id))
  }
}

extension Connection {
  /// Nil if the schema is of a version that had none.
  package var storageIdentity: String? {
    (try? first(StorageIdentityStore.id, as: String.self)) ?? nil
  }
}
