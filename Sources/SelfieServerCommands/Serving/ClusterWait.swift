import Logging
import Platform
import SelfieOperations

/// The start of a server of a cluster, which waits for a database or an object store that is away.
struct ClusterWait: Sendable {
  /// How long each problem has lasted.
  struct Patience {
    /// When each kind of problem was first met, in monotonic milliseconds.
    private var beginnings: [ClusterStartError.Patience: Int64] = [:]

    /// Whether the server tries again after an error.
    mutating func lasts(after error: ClusterStartError, now: Int64) -> Bool {
      var lasts = true
      for kind in error.problems.map(\.patience) {
        let beginning = beginnings[kind, default: now]
        beginnings[kind] = beginning
        if now - beginning >= kind.rawValue { lasts = false }
      }
      return lasts
    }
  }

  private struct State {
    var result: Result<ClusterStorage?, any Error>?
    var problems = "no response yet"
  }

  /// All times are in milliseconds.
  private static let retryPause: Int64 = 1000
  private static let reportInterval: Int64 = 5000
  /// How soon a signal ends the process.
  private static let signalInterval: Int64 = 100

  private let state = Monitor(State())
  private let open: @Sendable () throws -> ClusterStorage?

  /// - Parameter open: tries once. Blocks.
  init(open: @escaping @Sendable () throws -> ClusterStorage?) {
    self.open = open
  }

  /// Blocks until the storage is open, or until it is known that it cannot be.
  ///
  /// - Parameter stop: called if a signal ends the process meanwhile.
  func run(_ signals: TerminationSignals, _ logger: Logger, stop: () -> Never) throws -> ClusterStorage? {
    let thread = try Thread(named: "cluster-start", attempt)
    var nextReport = monotonicMilliseconds() + Self.reportInterval
    while true {
      let now = monotonicMilliseconds()
      if let result = state.wait(until: now + Self.signalInterval, for: \.result) {
        thread.join()
        return try result.get()
      }
      if signals.haveCome() { stop() }
      guard now >= nextReport else { continue }
      nextReport = now + Self.reportInterval
      logger.warning(
        "waiting for the database and the object store", metadata: ["problems": "\(state.withLock(\.problems))"])
    }
  }

  private func attempt() {
    var patience = Patience()
    while true {
      let result = Result { try open() }
      guard case .failure(let error as ClusterStartError) = result,
        patience.lasts(after: error, now: monotonicMilliseconds())
      else {
        state.withLock { $0.result = result }
        return state.notifyAll()
      }
      state.withLock { $0.problems = error.problems.map(\.text).joined(separator: " ") }
      state.wait(until: monotonicMilliseconds() + Self.retryPause) { _ in Void?.none }
    }
  }
}
