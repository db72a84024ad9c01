import APITestSupport
import SQL
import TestSupport
import Testing

@testable import Cluster
@testable import ObjectStorage
@testable import SelfieAPI

/// Object stores of tests.
enum ObjectsFixture {
  static let isAvailable = PostgreSQLServer.isInstalled && !StoreServer.Product.installed.isEmpty
  static let whatIsNeeded = "needs PostgreSQL's server, and an object store: see .ci/tools"

  /// A store that somebody else wrote.
  static func store(redirects: Bool = false) async throws -> any PhotoObjects {
    let product = try #require(StoreServer.Product.installed.last)
    let access = try await Blocking.run { try product.server().access }
    let settings = try ObjectStoreSettings(
      endpoint: access.endpoint, bucket: access.bucket, region: access.region, accessKeyID: access.accessKeyID,
      secretAccessKey: access.secretAccessKey)
    return BucketObjects(store: ObjectStore(settings), redirects: redirects)
  }

  /// A store that responds as a test says. Its client does not wait before it tries again.
  static func store(on server: RawServer) throws -> any PhotoObjects {
    let settings = try ObjectStoreSettings(
      endpoint: "http://127.0.0.1:\(server.port)", bucket: "selfies", region: "eu-central-1", accessKeyID: "id",
      secretAccessKey: "secret")
    let clock = RetryClock(uptime: { 0 }, sleep: { _ in })
    let store = ObjectStore(settings, timeouts: ClientTimeouts(), threads: 16, clock: clock)
    return BucketObjects(store: store, redirects: false)
  }
}

/// What a shared database has about objects.
extension APIFixture {
  /// The ids in a column.
  private func ids(_ query: Query) async throws -> [String] {
    try await application.database.rows(query).compactMap { $0.text(0) }
  }

  var photos: [String] {
    get async throws { try await ids(Query("SELECT random_id FROM photos ORDER BY id")) }
  }

  var notes: [String] {
    get async throws { try await ids(Query("SELECT random_id FROM uploads")) }
  }

  var removed: [String] {
    get async throws { try await ids(Query("SELECT random_id FROM removed_photos")) }
  }

  /// Has the next purge try again what was tried just now.
  func makeClaimsOld() async throws {
    try await application.database.run([Query("UPDATE removed_photos SET tried_at = 0")])
  }

  /// Waits until the objects of removed photos are deleted and forgotten, and until no file of an upload is left.
  func waitUntilClean() async throws {
    try await waitUntil { try await removed.isEmpty && folder.files(in: "incoming").isEmpty }
  }
}
