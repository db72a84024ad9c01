import Platform
import SQLite
import SelfieAPI

/// All that an application stores, as tests need it: exported, replaced, seeded and reset as a whole.
package struct StoredState: Sendable {
  package let application: Application
  /// The bytes of photos that exports and snapshots refer to.
  let contents: PhotoContents

  /// Removes what an earlier process left of exports and snapshots.
  package init(of application: Application) {
    self.application = application
    let files = application.photos.files
    contents = PhotoContents(storage: files.storage, isDurable: files.isDurable)
  }

  var database: Database { application.database }
  var photos: PhotoLibrary { application.photos }
}
