import Logging
import SelfieOperations

extension ClusterStorage {
  /// Opens what the settings name; nil if everything is kept in a storage folder. Blocks.
  ///
  /// - Parameter loops: how many event loops will ask for connections of their own.
  /// - Throws: `ClusterStartError` with everything that is wrong with the database and the object store.
  static func open(_ settings: Settings, loops: Int) throws -> ClusterStorage? {
    guard let (cluster, support) = support(for: settings) else { return nil }
    return try Blocking.run { try await support.open(cluster, loops: loops) }
  }

  /// Opens it for a server, which waits for a while if the database or the object store is away.
  ///
  /// - Parameter stop: called if a signal ends the process meanwhile.
  static func openWhenThere(
    _ settings: Settings, loops: Int, _ signals: TerminationSignals, _ logger: Logger, stop: () -> Never
  ) throws -> ClusterStorage? {
    guard settings.cluster != nil else { return nil }
    let storage = try ClusterWait { try open(settings, loops: loops) }.run(signals, logger, stop: stop)
    storage?.log(to: logger)
    return storage
  }

  /// Connects for a command that neither tries out the servers nor changes the schema.
  static func connect(_ settings: Settings) throws -> ClusterStorage? {
    guard let (cluster, support) = support(for: settings) else { return nil }
    return try support.connect(cluster)
  }

  func log(to logger: Logger) {
    if !migrations.isEmpty {
      logger.notice(
        "the database was brought up to date", metadata: ["migrations": "\(migrations.joined(separator: " "))"])
    }
    for warning in warnings { logger.warning("\(warning)") }
  }

  private static func support(for settings: Settings) -> (ClusterSettings, any ClusterSupport)? {
    guard let cluster = settings.cluster, let support = Settings.clusterSupport.withLock({ $0 }) else {
      return nil
    }
    return (cluster, support)
  }
}
