import Platform

/// A clock that a test can turn. Every rule of its world about time follows it: when a token expires, when a photo was
/// taken, how long guessing is slowed down.
///
/// Times are unix milliseconds and stay between 1970 and the end of 9999.
public final class WorldClock: Sendable {
  private struct State {
    var offset: Int64 = 0
    var frozenAt: Int64?
  }

  /// The instants that the clock can show.
  public static let range: ClosedRange<Int64> = 0...253_402_300_799_999

  private let state = Monitor(State())
  private let real: @Sendable () -> Int64

  /// Shows the real time at first.
  public init(real: @escaping @Sendable () -> Int64) {
    self.real = real
  }

  /// The time in this world.
  public var now: Int64 { state.withLock { time(of: $0) } }

  /// Whether it stands still.
  public var isFrozen: Bool { state.withLock { $0.frozenAt != nil } }

  /// How far it is ahead of the real time.
  public var offset: Int64 { now &- real() }

  /// Turns it by some milliseconds, backward if they are negative; a clock that stands still goes on standing there.
  public func advance(by milliseconds: Int64) {
    state.withLock { state in
      let (time, isTooFar) = time(of: state).addingReportingOverflow(milliseconds)
      set(&state, to: isTooFar ? (milliseconds < 0 ? .min : .max) : time)
    }
  }

  /// Turns it to an instant, from which it goes on as before: running, or standing still.
  public func set(to instant: Int64) {
    state.withLock { set(&$0, to: instant) }
  }

  /// Lets it stand still, at an instant or where it is.
  public func freeze(at instant: Int64? = nil) {
    state.withLock { state in
      state.frozenAt = time(of: state)
      if let instant { set(&state, to: instant) }
    }
  }

  /// Lets it go on from where it stands.
  public func run() {
    state.withLock { state in
      let time = time(of: state)
      state.frozenAt = nil
      set(&state, to: time)
    }
  }

  /// Shows the real time again.
  public func reset() {
    state.withLock { $0 = State() }
  }

  private func time(of state: State) -> Int64 {
    state.frozenAt ?? Self.inRange(real() &+ state.offset)
  }

  private func set(_ state: inout State, to instant: Int64) {
    let instant = Self.inRange(instant)
    if state.frozenAt == nil { state.offset = instant &- real() } else { state.frozenAt = instant }
  }

  private static func inRange(_ instant: Int64) -> Int64 {
    min(max(instant, range.lowerBound), range.upperBound)
  }
}
