import Foundation
import TestSupport
import Testing

/// A database of a test's own on a PostgreSQL server, and a bucket: what the processes of a cluster share.
struct TestCluster: Sendable {
  typealias Store = StoreServer.Product

  /// Those with which a cluster can be tested here.
  static let stores = PostgreSQLServer.isInstalled ? Store.installed : []
  static let whatIsNeeded = """
    needs PostgreSQL's server, and \(Store.allCases.map(\.python.reason).joined(separator: ", or "))
    """
  static let credentials = ["API_AUTH_NAME": "name", "API_AUTH_PASSWORD": "0123456789abcdef"]

  let server: PostgreSQLServer
  /// The name of the database.
  let database: String
  /// The object store.
  let store: StoreServer.Access
  /// The settings that name both, and those that all processes need.
  let environment: [String: String]

  /// - Parameters:
  ///   - store: the first that is installed if nil.
  ///   - server: that of other tests, too, if nil.
  init(on store: Store? = nil, of server: PostgreSQLServer? = nil) async throws {
    guard let store = store ?? Self.stores.first else { throw NotPossible(Self.whatIsNeeded) }
    let database = "cluster_\(UUID().uuidString.replacing("-", with: "").lowercased())"
    let (postgreSQL, access) = try await Blocking.run {
      let postgreSQL = try server ?? PostgreSQLServer.shared
      try postgreSQL.run("CREATE DATABASE \(database)")
      return (postgreSQL, try store.server().access)
    }
    self.server = postgreSQL
    self.database = database
    self.store = access
    environment = [
      "DATABASE_URL": postgreSQL.address(of: database), "S3_ENDPOINT": access.endpoint, "S3_BUCKET": access.bucket,
      "S3_REGION": access.region, "S3_ACCESS_KEY_ID": access.accessKeyID,
      "S3_SECRET_ACCESS_KEY": access.secretAccessKey,
    ].merging(Self.credentials) { $1 }
  }

  /// Starts a process of it, with a storage folder of its own.
  func start(
    _ arguments: [String] = ["serve"], _ others: [String: String] = [:], in folder: TemporaryFolder? = nil,
    input: String? = nil
  ) throws -> ServerProcess {
    try ServerProcess(
      arguments, of: ServerProcess.clusterExecutable, environment: environment.merging(others) { $1 }, in: folder,
      input: input)
  }

  /// Runs a command to its end, of which is expected what `ServerProcess.run` expects.
  @discardableResult
  func run(
    _ arguments: [String] = ["serve"], _ others: [String: String] = [:], in folder: TemporaryFolder? = nil,
    input: String? = nil, status: Int32 = 0, saying parts: String..., sourceLocation: SourceLocation = #_sourceLocation
  ) async throws -> ServerProcess.Outcome {
    try await start(arguments, others, in: folder, input: input).outcome(status, saying: parts, sourceLocation)
  }

  /// The rows of a query, with `|` between the columns.
  @discardableResult
  func query(_ sql: String) async throws -> [String] {
    try await Blocking.run { [self] in try server.run(sql, on: database) }
  }
}
