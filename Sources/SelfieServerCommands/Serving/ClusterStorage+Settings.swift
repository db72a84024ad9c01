import Logging

extension ClusterStorage {
  /// Opens what the settings name; nil if everything is kept in a storage folder. Blocks.
  ///
  /// - Parameter loops: how many event loops will ask for connections of their own.
  /// - Throws: `ClusterStartError` with everything that is wrong with the database and the object store.
  static func open(_ settings: Settings, loops: Int) throws -> ClusterStorage? {
    guard let cluster = settings.cluster, let support = ClusterSupport.current else { return nil }
    return try support.open(cluster, .postgreSQL, loops)
  }

  /// Opens it for a server, which waits for a while if the database or the object store is away.
  ///
  /// - Parameter stop: called if a signal ends the process meanwhile.
  static func openWhenThere(
    _ settings: Settings, loops: Int, _ signals: TerminationSignals, _ logger: Logger, stop: () -> Never
  ) throws -> ClusterStorage? {
    guard let cluster = settings.cluster, let support = ClusterSupport.current else { return nil }
    return try ClusterWait { try support.open(cluster, .postgreSQL, loops) }.run(signals, logger, stop: stop)
  }

  /// The same for a command that neither tries out the servers nor changes the schema.
  static func connect(_ settings: Settings) throws -> ClusterStorage? {
    guard let cluster = settings.cluster, let support = ClusterSupport.current else { return nil }
    return try support.connect(cluster)
  }
}
