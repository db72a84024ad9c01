import Platform

/// Lets a backup use the disk for half of the time at most, and ends it when the server stops.
final class BackupThrottle: Sendable {
  /// Shorter pauses would take more time than they give.
  private static let minPause: Int64 = 10_000_000
  /// After work that took longer, the disk was busy with other things anyway.
  private static let maxPause: Int64 = 1_000_000_000

  private let isStopped = Monitor(false)
  /// When the work since the last pause has begun, in nanoseconds.
  private let workedSince = Monitor<Int64>(0)

  func stop() {
    isStopped.withLock { $0 = true }
    isStopped.notifyAll()
  }

  func begin() { workedSince.withLock { $0 = monotonicNanoseconds() } }

  /// - Throws: `OperationError` once the server stops.
  func check() throws(OperationError) {
    if isStopped.withLock({ $0 }) { throw OperationError("The server was stopped meanwhile.") }
  }

  /// Waits for as long as the work since the last pause has taken.
  ///
  /// - Throws: `OperationError` once the server stops.
  func pause() throws(OperationError) {
    let worked = min(monotonicNanoseconds() - workedSince.withLock { $0 }, Self.maxPause)
    if worked >= Self.minPause {
      isStopped.wait(until: monotonicMilliseconds() + worked / 1_000_000) { $0 ? () : nil }
      begin()
    }
    try check()
  }
}
