import Foundation
import SelfieControl

/// The clock of a server, which a test can turn: every rule about time follows it, token expiry first of all.
public struct ServerClock: Sendable {
  private let clock: WorldClock

  init(_ clock: WorldClock) {
    self.clock = clock
  }

  /// What it shows, in whole milliseconds.
  public var now: Date { Date(timeIntervalSince1970: Double(clock.now) / 1000) }

  /// Whether it stands still.
  public var isFrozen: Bool { clock.isFrozen }

  /// Turns it forward, or backward by a negative duration.
  public func advance(by duration: Duration) { clock.advance(by: duration.milliseconds) }

  /// Turns it to an instant, from which it goes on as before: running, or standing still.
  public func set(to instant: Date) { clock.set(to: instant.milliseconds) }

  /// Lets it stand still, at an instant or where it is.
  public func freeze(at instant: Date? = nil) { clock.freeze(at: instant?.milliseconds) }

  /// Lets it go on from where it stands.
  public func run() { clock.run() }

  /// Shows the real time again.
  public func reset() { clock.reset() }
}

extension Duration {
  /// Whole ones, as far as they can be counted.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, isTooLong) = seconds.multipliedReportingOverflow(by: 1000)
    let (sum, isTooMuch) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
    return isTooLong || isTooMuch ? (seconds < 0 ? .min : .max) : sum
  }
}

extension Date {
  /// Since 1970, as far as they can be counted.
  var milliseconds: Int64 {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }
}
