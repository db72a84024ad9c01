import Platform
import TestSupport

@testable import ObjectStorage

/// Time that passes only while somebody sleeps, who does not wait for it.
final class SleepingClock: Sendable {
  private let sleeps = Monitor<[Int64]>([])

  /// The sleeps so far, in milliseconds.
  var pauses: [Int64] { sleeps.withLock { $0 } }

  private var elapsed: Int64 { pauses.reduce(0, +) }

  var clock: RetryClock {
    RetryClock(
      now: { SettableClock.start + self.elapsed }, uptime: { self.elapsed },
      sleep: { milliseconds in self.sleeps.withLock { $0.append(milliseconds) } })
  }
}
