import Platform

/// A clock that a test can set. Everything in its world that depends on time follows it: when a token expires, when a
/// photo was created, how long failed sign-ins are throttled.
///
/// Times are in unix milliseconds, from 1970 to the end of 9999.
public final class WorldClock: Sendable {
  private struct State {
    var offset: Int64 = 0
    var frozenAt: Int64?
  }

  /// The times that the clock can show.
  public static let range: ClosedRange<Int64> = 0...253_402_300_799_999

  private let state = Monitor(State())
  private let real: @Sendable () -> Int64

  /// A clock that shows the real time until it is set.
  public init(real: @escaping @Sendable () -> Int64) {
    self.real = real
  }

  /// The time in this world.
  public var now: Int64 { state.withLock { time(of: $0) } }

  /// Whether the clock is stopped.
  public var isFrozen: Bool { state.withLock { $0.frozenAt != nil } }

  /// How far the clock is ahead of the real time.
  public var offset: Int64 { now &- real() }

  /// Moves the clock forward, or backward by negative milliseconds. A frozen clock stays frozen.
  public func advance(by milliseconds: Int64) {
    state.withLock { state in
      let (time, isTooFar) = time(of: state).addingReportingOverflow(milliseconds)
      set(&state, to: isTooFar ? (milliseconds < 0 ? .min : .max) : time)
    }
  }

  /// Sets the clock to a time, from which it goes on as before: running or frozen.
  public func set(to instant: Int64) {
    state.withLock { set(&$0, to: instant) }
  }

  /// Stops the clock, at a time or where it is.
  public func freeze(at instant: Int64? = nil) {
    state.withLock { state in
      state.frozenAt = time(of: state)
      if let instant { set(&state, to: instant) }
    }
  }

  /// Lets a frozen clock run on from where it is.
  public func run() {
    state.withLock { state in
      let time = time(of: state)
      state.frozenAt = nil
      set(&state, to: time)
    }
  }

  /// Lets the clock show the real time again.
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
