import Glibc
import Logging
import Platform
import SelfieOperations

// Opens a cluster by the server's settings, and waits for it. A `ClusterConnector` in SelfieOperations makes the
// connections.
extension ClusterStorage {
  /// Opens what the settings name, and logs what was done for that; nil if everything is kept in a storage folder. Blocks.
  ///
  /// - Throws: `ClusterStartError` with everything that is wrong with the database and the object store.
  static func open(_ settings: Settings, _ logger: Logger) throws -> ClusterStorage? {
    guard let cluster = settings.cluster, let connector = Settings.clusterConnector.withLock({ $0 }) else { return nil }
    let storage = try Blocking.run { try await connector.open(cluster) }
    storage.log(to: logger)
    return storage
  }

  /// Opens it for a server, which waits for a while if the database or the object store is away.
  ///
  /// - Parameter stop: called if a signal ends the process meanwhile.
  static func openWhenThere(
    _ settings: Settings, _ signals: TerminationSignals, _ logger: Logger,
    stop: @escaping @Sendable () -> Void
  ) throws -> ClusterStorage? {
    guard settings.cluster != nil else { return nil }
    signals.exit(at: 1, status: 0, after: stop)
    defer { signals.exit(at: .max) }
    let problems = Monitor("no response yet")
    // An attempt may take long itself.
    let reports = Task(priority: Blocking.priority) {
      while true {
        try await Task.sleep(for: .seconds(5))
        let problems = problems.withLock { $0 }
        logger.warning("waiting for the database and the object store", metadata: ["problems": "\(problems)"])
      }
    }
    defer { reports.cancel() }
    var beginnings: [ClusterStartError.Patience: Int64] = [:]
    while true {
      do {
        return try open(settings, logger)
      } catch let error as ClusterStartError where error.mayPass(&beginnings, now: monotonicMilliseconds()) {
        problems.withLock { $0 = error.problems.map(\.text).joined(separator: " ") }
        sleep(1)
      }
    }
  }

  /// Connects for a command that neither tries out the servers nor changes the schema.
  static func connect(_ settings: Settings) throws -> ClusterStorage? {
    guard let cluster = settings.cluster else { return nil }
    return try Settings.clusterConnector.withLock { $0 }?.connect(cluster)
  }

  private func log(to logger: Logger) {
    if !migrations.isEmpty {
      let isNew = migrations.first?.hasPrefix("0001_") == true
      logger.notice(
        isNew ? "this database was empty, and is set up now" : "the database was brought up to date",
        metadata: ["migrations": "\(migrations.joined(separator: " "))"])
    }
    for warning in warnings { logger.warning("\(warning)") }
  }
}

extension ClusterStartError {
  /// Whether the server tries again.
  ///
  /// - Parameter beginnings: when each kind of problem was first met, in monotonic milliseconds as `now`.
  func mayPass(_ beginnings: inout [Patience: Int64], now: Int64) -> Bool {
    let kinds = problems.map(\.patience)
    for kind in kinds { beginnings[kind] = beginnings[kind] ?? now }
    return kinds.allSatisfy { now - beginnings[$0, default: now] < $0.rawValue }
  }
}
