import Foundation
import TestSupport

/// A database of a test's own on a PostgreSQL server, and a bucket: what the processes of a cluster share.
struct TestCluster: Sendable {
  typealias Store = StoreServer.Product

  /// Those with which a cluster can be tested here.
  static let stores = PostgreSQLServer.isInstalled ? Store.installed : []
  static let whatIsNeeded = """
    needs PostgreSQL's server, and \(Store.allCases.map(\.python.reason).joined(separator: ", or "))
    """
  static let credentials = (name: "name", password: "0123456789abcdef")

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
  ///   - options: how the database is made.
  init(on store: Store? = nil, of server: PostgreSQLServer? = nil, options: String = "") async throws {
    guard let store = store ?? Self.stores.first else { throw NotInstalled() }
    let database = "cluster_\(UUID().uuidString.replacing("-", with: "").lowercased())"
    let (postgreSQL, access) = try await Blocking.run {
      let postgreSQL = try server ?? PostgreSQLServer.shared
      try postgreSQL.run("CREATE DATABASE \(database) \(options)")
      return (postgreSQL, try store.server().access)
    }
    self.server = postgreSQL
    self.database = database
    self.store = access
    environment = [
      "DATABASE_URL": postgreSQL.address(of: database), "S3_ENDPOINT": access.endpoint, "S3_BUCKET": access.bucket,
      "S3_REGION": access.region, "S3_ACCESS_KEY_ID": access.accessKeyID,
      "S3_SECRET_ACCESS_KEY": access.secretAccessKey, "API_AUTH_NAME": Self.credentials.name,
      "API_AUTH_PASSWORD": Self.credentials.password,
    ]
  }

  struct NotInstalled: Error {}

  /// Starts a process of it, with a storage folder of its own.
  func start(_ others: [String: String] = [:], in folder: TemporaryFolder? = nil) throws -> ServerProcess {
    try ServerProcess(
      of: ServerProcess.clusterExecutable, environment: environment.merging(others) { $1 },
      in: try folder ?? TemporaryFolder())
  }

  /// What becomes of a process that ends by itself.
  func run(
    _ arguments: [String] = ["serve"], _ others: [String: String] = [:], in folder: TemporaryFolder? = nil
  ) async throws -> ServerProcess.Outcome {
    try await ServerProcess.run(
      arguments, of: ServerProcess.clusterExecutable, environment: environment.merging(others) { $1 },
      in: try folder ?? TemporaryFolder())
  }

  /// The app, set up for a process.
  func app(of process: ServerProcess) async throws -> TutorialApp {
    TutorialApp(
      helper: HTTPHelper(
        apiAuthName: Self.credentials.name, apiAuthPassword: Self.credentials.password,
        baseURL: "http://127.0.0.1:\(try await process.port())/api"))
  }

  /// The app, signed up and in.
  func appOfNewUser(of process: ServerProcess) async throws -> TutorialApp {
    let app = try await app(of: process)
    try await app.makeSignUpRequest(name: "Jane Doe", email: "jane@example.com", password: "secret12")
    try await app.makeSignInRequest(email: "jane@example.com", password: "secret12")
    return app
  }

  /// The rows of a query, with `|` between the columns.
  @discardableResult
  func query(_ sql: String) async throws -> [String] {
    try await Blocking.run { [self] in try server.run(sql, on: database) }
  }
}
