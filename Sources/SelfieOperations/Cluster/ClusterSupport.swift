/// Connects a product to PostgreSQL, for accounts, and to S3, for photos. The default product has no such support, so
/// that it links neither of their clients.
package protocol ClusterSupport: Sendable {
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
