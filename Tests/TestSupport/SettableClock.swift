import Synchronization

/// A time in Unix milliseconds that stands still until a test moves it.
public final class SettableClock: Sendable {
  /// 2026-11-20T22:24:16.641Z.
  public static let start: Int64 = 1_795_213_456_641

  private let milliseconds: Atomic<Int64>

  public init(_ milliseconds: Int64 = SettableClock.start) {
    self.milliseconds = Atomic(milliseconds)
  }

  public var now: Int64 { milliseconds.load(ordering: .relaxed) }

  public func advance(milliseconds count: Int64) {
    milliseconds.add(count, ordering: .relaxed)
  }

  public func advance(seconds: Int64) {
    advance(milliseconds: seconds * 1000)
  }
}
