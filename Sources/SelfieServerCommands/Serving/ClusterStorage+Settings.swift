extension ClusterStorage {
  /// Opens what the settings name; nil if everything is kept in a storage folder. Blocks.
  ///
  /// - Parameter loops: how many event loops will ask for connections of their own.
  /// - Throws: `ConfigurationError` with everything that is wrong with the database and the object store.
  static func open(_ settings: Settings, loops: Int) throws -> ClusterStorage? {
    guard let cluster = settings.cluster, let support = ClusterSupport.current else { return nil }
    return try support.open(cluster, .postgreSQL, loops)
  }

  /// The same for a command that neither tries out the servers nor changes the schema.
  static func connect(_ settings: Settings) throws -> ClusterStorage? {
    guard let cluster = settings.cluster, let support = ClusterSupport.current else { return nil }
    return try support.connect(cluster)
  }
}
