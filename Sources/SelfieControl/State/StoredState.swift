import Platform
import SQLite
import SelfieAPI

/// Exports, replaces, seeds and resets everything that an application stores.
package struct StoredState: Sendable {
  package let application: Application
  /// The bytes of photos in exports and snapshots.
  let contents: BlobStore

  /// Removes what an earlier process left behind of exports and snapshots.
  package init(of application: Application) {
    self.application = application
    let files = application.photos.files
    contents = BlobStore(storage: files.storage, isDurable: files.isDurable)
  }

  var database: Database { application.database }
  var photos: PhotoLibrary { application.photos }
}
