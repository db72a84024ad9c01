import Synchronization

/// A time in Unix milliseconds that stands still until a test moves it.
package final class SettableClock: Sendable {
  /// 2026-11-20T22:24:16.641Z.
  package static let start: Int64 = 1_795_213_456_641

  private let milliseconds: Atomic<Int64>

  package init(_ milliseconds: Int64 = SettableClock.start) {
    self.milliseconds = Atomic(milliseconds)
  }

  package var now: Int64 { milliseconds.load(ordering: .relaxed) }

  package func advance(milliseconds count: Int64) {
    milliseconds.add(count, ordering: .relaxed)
  }

  package func advance(seconds: Int64) {
    advance(milliseconds: seconds * 1000)
  }
}
