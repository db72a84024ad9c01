import Foundation
import SelfieTestControl
import SelfieTestDocuments

// The clock of a server, as tests turn it. Everything that depends on time follows it, above all the expiry of tokens.
extension WorldClock {
  /// The time that the clock shows, in whole milliseconds.
  public var now: Date { Date(timeIntervalSince1970: Double(time) / 1000) }

  /// Moves the clock forward, or backward by a negative duration.
  public func advance(by duration: Duration) { advance(by: duration.milliseconds) }

  /// Sets the clock to a time, from which it goes on as before: running or frozen.
  public func set(to instant: Date) { set(to: instant.milliseconds) }

  /// Stops the clock, at a time or where it is.
  public func freeze(at instant: Date? = nil) { freeze(at: instant?.milliseconds) }
}

extension Date {
  /// Milliseconds since 1970, limited to the range of Int64.
  fileprivate var milliseconds: Int64 {
    let milliseconds = (timeIntervalSince1970 * 1000).rounded()
    return Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
  }
}
