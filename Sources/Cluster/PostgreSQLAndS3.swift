import ObjectStorage
import Platform
import PostgreSQL
import SQL
import SelfieAPI
package import SelfieOperations

/// Checks a cluster's settings, and opens its database and its bucket: the `ClusterConnector` of the product
/// `selfie-server-cluster`. `PostgreSQLDatabase` in PostgreSQL runs the queries, and `BucketObjects` has the photos'
/// bytes.
package struct PostgreSQLAndS3: ClusterConnector {
  package init() {}

  package func problems(of settings: ClusterSettings) -> [String] {
    var problems: [String] = []
    do throws(ConfigurationError) { _ = try settings.database() } catch { problems += error.problems }
    do throws(ConfigurationError) { _ = try settings.bucket() } catch { problems += error.problems }
    if let problem = settings.sweepProblem { problems.append(problem) }
    return problems
  }

  package func connect(_ settings: ClusterSettings) throws -> ClusterStorage {
    try connect(settings, to: ObjectStore(settings.bucket()))
  }

  package func open(_ settings: ClusterSettings) async throws -> ClusterStorage {
    let database = try settings.database()
    let store = ObjectStore(try settings.bucket())
    let worker = WorkerPool(name: "start", threads: 1, waiting: 1)
    defer { worker.shutDown() }
    async let problem = Self.problem(of: store)
    var storage = try connect(settings, to: store)
    do {
      let start = try await worker.run {
        try Migrations.postgreSQL.start(
          on: database, connections: PostgreSQLDatabase.maxConnections, now: unixMilliseconds())
      }
      (storage.migrations, storage.warnings) = (start.applied, start.warnings)
    } catch {
      throw ClusterStartError([Self.problem(error)] + [await problem].compactMap(\.self))
    }
    if let problem = await problem { throw ClusterStartError([problem]) }
    return storage
  }

  private func connect(_ settings: ClusterSettings, to store: ObjectStore) throws -> ClusterStorage {
    ClusterStorage(
      database: PostgreSQLDatabase(try settings.database(), clock: { monotonicMilliseconds() }),
      objects: BucketObjects(store: store, redirects: settings.redirectsDownloads), sweepAfter: settings.sweepAfter)
  }

  // MARK: - Problems

  private static func problem(of store: ObjectStore) async -> ClusterStartError.Problem? {
    guard let problem = await store.check() else { return nil }
    let patience: ClusterStartError.Patience =
      switch problem.cause {
      case .unavailable: .server
      case _ where problem.cause.isBucketMissing: .bucket
      default: .none
      }
    return ClusterStartError.Problem(problem.text, patience)
  }

  /// Names the setting, also where only the database knows what is wrong.
  private static func problem(_ error: any Error) -> ClusterStartError.Problem {
    let text = "\(error)".hasPrefix("DATABASE_URL") ? "\(error)" : "DATABASE_URL: \(error)"
    let mayPass = (error as? SharedDatabaseError)?.mayPass ?? false
    return ClusterStartError.Problem(text.hasSuffix(".") ? text : "\(text).", mayPass ? .server : .none)
  }
}

extension ClusterSettings {
  fileprivate func database() throws(ConfigurationError) -> DatabaseURL { try DatabaseURL(databaseURL) }

  fileprivate func bucket() throws(ConfigurationError) -> ObjectStoreSettings {
    try ObjectStoreSettings(
      endpoint: endpoint, bucket: bucket, region: region, accessKeyID: accessKeyID, secretAccessKey: secretAccessKey,
      bucketIsInHost: addressingStyle == .virtual)
  }

  /// A sweep that came earlier would take an upload under way for one that a process has left behind.
  fileprivate var sweepProblem: String? {
    let longest = ObjectStore.maxMilliseconds(toPut: Int64(maxPhotoBytes)) / 1000
    // It may wait as long for other uploads.
    let least = 2 * longest
    guard sweepAfter < least else { return nil }
    return """
      SWEEP_AFTER is \(sweepAfter). It must be at least \(least) where MAX_PHOTO_BYTES is \(maxPhotoBytes): the object \
      store may take that long for the largest photo.
      """
  }
}
