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
