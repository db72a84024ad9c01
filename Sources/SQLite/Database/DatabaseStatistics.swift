import Platform
import Synchronization

/// What a database's writer has done since the database was opened.
package struct DatabaseStatistics: Sendable {
  /// How long commits took, most of which is the sync. In nanoseconds.
  package let commits: Histogram.Reading
  package let checkpoints: Histogram.Reading
  package let failedCheckpoints: Int
  /// Writes that wait for the next transaction.
  package let waitingWrites: Int
}

extension Database {
  package var statistics: DatabaseStatistics {
    writer.counters.statistics(waitingWrites: waitingWrites)
  }
}

/// What the writer counts.
final class WriterCounters: Sendable {
  let commits = Histogram(bounds: DurationBounds.disk)
  let checkpoints = Histogram(bounds: DurationBounds.disk)
  let failedCheckpoints = Atomic<Int>(0)

  func statistics(waitingWrites: Int) -> DatabaseStatistics {
    DatabaseStatistics(
      commits: commits.reading, checkpoints: checkpoints.reading,
      failedCheckpoints: failedCheckpoints.load(ordering: .relaxed), waitingWrites: waitingWrites)
  }
}
