import SQL

/// What a product brings that keeps accounts in PostgreSQL and photos in S3. The default product has none, so that it
/// links neither of their clients.
package struct ClusterSupport: Sendable {
  /// The program's own; nil in the default product.
  @TaskLocal static var current: ClusterSupport?

  /// Every problem of settings that are all there, each as a sentence that names the setting. No secret is in one.
  let problems: @Sendable (ClusterSettings) -> [String]

  /// Tries out both servers, brings the database's schema up to date, and begins to connect. Blocks.
  ///
  /// Throws `ClusterStartError` with everything that is wrong with either server.
  let open: @Sendable (_ settings: ClusterSettings, _ migrations: Migrations, _ loops: Int) throws -> ClusterStorage

  /// Begins to connect, without a look at either server. For commands that do not wait for what a server waits for at
  /// its start, and that must not change the schema.
  let connect: @Sendable (_ settings: ClusterSettings) throws -> ClusterStorage

  /// - Parameter open: is given the steps of PostgreSQL's schema, and the number of event loops that will ask for
  ///   connections of their own.
  package init(
    problems: @escaping @Sendable (ClusterSettings) -> [String],
    open:
      @escaping @Sendable (_ settings: ClusterSettings, _ migrations: Migrations, _ loops: Int) throws -> ClusterStorage,
    connect: @escaping @Sendable (_ settings: ClusterSettings) throws -> ClusterStorage
  ) {
    self.problems = problems
    self.open = open
    self.connect = connect
  }
}
