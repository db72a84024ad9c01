import Foundation
import SelfieTestControl

/// The clock of a server, which a test can set. Everything that depends on time follows it, above all the expiry of
/// tokens.
public struct ServerClock: Sendable {
  private let clock: WorldClock

  init(_ clock: WorldClock) {
    self.clock = clock
  }

  /// The time that the clock shows, in whole milliseconds.
  public var now: Date { Date(timeIntervalSince1970: Double(clock.now) / 1000) }

  /// Whether the clock is stopped.
  public var isFrozen: Bool { clock.isFrozen }

  /// Moves the clock forward, or backward by a negative duration.
  public func advance(by duration: Duration) { clock.advance(by: duration.milliseconds) }

  /// Sets the clock to a time, from which it goes on as before: running or frozen.
  public func set(to instant: Date) { clock.set(to: instant.milliseconds) }

  /// Stops the clock, at a time or where it is.
  public func freeze(at instant: Date? = nil) { clock.freeze(at: instant?.milliseconds) }

  /// Lets a frozen clock run on from where it is.
  public func run() { clock.run() }

  /// Lets the clock show the real time again.
  public func reset() { clock.reset() }
}

extension Date {
  /// Milliseconds since 1970, limited to the range of Int64.
  var milliseconds: Int64 {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }
}
