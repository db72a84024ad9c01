import Platform
import SQLite
import SelfieAPI

/// Exports, replaces, seeds and resets everything that an application stores.
package struct StoredState: Sendable {
  package let application: Application
  /// The application's.
  let database: Database
  /// The bytes of photos in exports and snapshots.
  let blobs: BlobStore

  /// Removes the blobs that an earlier process left behind.
  package init(of application: Application, in database: Database) {
    self.application = application
    self.database = database
    let files = application.photos.files
    blobs = BlobStore(files.layout, isDurable: files.isDurable)
  }

  var photos: PhotoLibrary { application.photos }

  /// Runs `body` with the blobs that `retain` returns, which are released afterwards.
  func withBlobs<Result: Sendable>(
    _ retain: @escaping @Sendable () throws -> [[Blob]], do body: ([[Blob]]) async throws -> Result
  ) async throws -> Result {
    let retained = try await photos.pool.run(retain)
    func release() async {
      try? await photos.pool.run { blobs.release(retained.joined().map(\.sha256)) }
    }
    do {
      let result = try await body(retained)
      await release()
      return result
    } catch {
      await release()
      throw error
    }
  }
}
