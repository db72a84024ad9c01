import Platform
package import SQL
package import SelfieAPI

// The storage of a cluster, its settings, and the errors of opening it. `PostgreSQLAndS3` in Cluster opens it.

/// The database and the object store that the servers of a cluster share, ready to be used.
package struct ClusterStorage: Sendable {
  package let database: any SharedDatabase
  package let objects: any PhotoObjects
  /// The seconds after which nothing of an upload can be under way any more.
  package let sweepAfter: Int
  /// The names of the steps of the schema that were run at this start.
  package var migrations: [String] = []
  /// For the log.
  package var warnings: [String] = []

  package init(database: any SharedDatabase, objects: any PhotoObjects, sweepAfter: Int) {
    self.database = database
    self.objects = objects
    self.sweepAfter = sweepAfter
  }

  /// Closes the connections to both. The event loops must have ended. Blocks until the requests under way have.
  package func close() {
    database.close()
    objects.close()
  }
}

/// Checks a cluster's settings, and connects to its PostgreSQL database and its S3 object store. `PostgreSQLAndS3` in
/// Cluster implements it. The default product has no connector, so that it links no client of either.
package protocol ClusterConnector: Sendable {
  /// Every problem of settings that are all there, each as a sentence that names the setting. No secret is in one.
  func problems(of settings: ClusterSettings) -> [String]

  /// Tries out both servers, brings the database's schema up to date, and begins to connect.
  ///
  /// - Throws: `ClusterStartError` with everything that is wrong with either server.
  func open(_ settings: ClusterSettings) async throws -> ClusterStorage

  /// Begins to connect, without a look at either server. For commands that do not wait for what a server waits for at
  /// its start, and that must not change the schema.
  func connect(_ settings: ClusterSettings) throws -> ClusterStorage
}

/// Why a cluster's database and object store cannot be used, with everything that is wrong with either.
/// `mayPass` in SelfieServer decides whether to try again.
package struct ClusterStartError: Error, CustomStringConvertible {
  /// How long a server waits at its start for a problem to pass, in milliseconds.
  package enum Patience: Int64, Sendable {
    /// A wrong setting does not pass.
    case none = 0
    /// Whoever starts the object store may make the bucket next.
    case bucket = 10_000
    /// A restart, or another server that takes over.
    case server = 120_000
  }

  package struct Problem: Sendable {
    /// A sentence that names the setting.
    package let text: String
    package let patience: Patience

    package init(_ text: String, _ patience: Patience) {
      self.text = text
      self.patience = patience
    }
  }

  package let problems: [Problem]

  package init(_ problems: [Problem]) {
    self.problems = problems
  }

  package var description: String { ConfigurationError(problems: problems.map(\.text)).description }
}

// Waits until no other process uses a cluster's database. `ClusterQueries` in SelfieAPI has the query.
extension SharedDatabase {
  /// - Throws: `OperationError` if another process of this program has a connection.
  package func requireNoOtherProcess() async throws {
    // A server that has ended leaves its connections for as long as PostgreSQL takes to notice that.
    let maxChecks = 40
    var processes: [String] = []
    for check in 1...maxChecks {
      processes = try await read(ClusterQueries.otherProcesses).map { String($0) }
      if processes.isEmpty { return }
      if check < maxChecks { try await Task.sleep(for: .milliseconds(50)) }
    }
    throw OperationError(
      """
      Other processes use the cluster: \(processes.joined(separator: ", ")). \
      Find them in pg_stat_activity by these application names. Stop all servers, and run the command again. A \
      PgBouncer keeps the connections of a stopped server for some minutes; RECONNECT on its console closes them.
      """)
  }
}

/// Where a cluster keeps accounts and photos: the values of DATABASE_URL and of the settings of S3, as the owner wrote
/// them. `SettingSources` in SelfieServer reads them, and a `ClusterConnector` checks them and opens what they name.
package struct ClusterSettings: Sendable {
  /// How requests to the object store name the bucket, as botocore calls it.
  package enum AddressingStyle: String, CaseIterable, Sendable {
    /// In the path: `https://s3.example/bucket/key`.
    case path
    /// In the host: `https://bucket.s3.example/key`.
    case virtual
  }

  /// Has a password in it.
  package let databaseURL: String
  package let endpoint: String
  package let bucket: String
  package let region: String
  package let accessKeyID: String
  package let secretAccessKey: String
  package let addressingStyle: AddressingStyle
  /// Whether downloads are redirected to the object store.
  package let redirectsDownloads: Bool
  /// The age in seconds at which a sweep removes what a process left unfinished.
  package let sweepAfter: Int
  package let maxPhotoBytes: Int

  package init(
    databaseURL: String, endpoint: String, bucket: String, region: String, accessKeyID: String, secretAccessKey: String,
    addressingStyle: AddressingStyle, redirectsDownloads: Bool, sweepAfter: Int, maxPhotoBytes: Int
  ) {
    self.databaseURL = databaseURL
    self.endpoint = endpoint
    self.bucket = bucket
    self.region = region
    self.accessKeyID = accessKeyID
    self.secretAccessKey = secretAccessKey
    self.addressingStyle = addressingStyle
    self.redirectsDownloads = redirectsDownloads
    self.sweepAfter = sweepAfter
    self.maxPhotoBytes = maxPhotoBytes
  }
}

extension ClusterSettings: CustomStringConvertible, CustomReflectable {
  package var description: String { "bucket \(bucket) at \(endpoint)" }

  /// Without the members, some of which are secrets.
  package var customMirror: Mirror { Mirror(self, children: []) }
}
