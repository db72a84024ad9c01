import HTTPMessages
import Platform
package import SelfieTestDocuments

/// A clock that a test can set. Everything in its world that depends on time follows it: when a token expires, when a
/// photo was created, how long failed sign-ins are throttled. Clock.swift in Platform has the real clocks.
///
/// Times are in unix milliseconds, from 1970 to the end of 9999.
package final class WorldClock: Sendable {
  private struct State {
    var offset: Int64 = 0
    var frozenAt: Int64?
    /// How far `elapsed` is ahead of `uptime`.
    var skipped: Int64 = 0
    /// While the clock is frozen.
    var elapsed: Int64?
  }

  private let state = Monitor(State())
  private let real: @Sendable () -> Int64
  private let uptime: @Sendable () -> Int64

  /// A clock that shows the real time until it is set.
  ///
  /// - Parameter uptime: monotonic milliseconds.
  package init(
    real: @escaping @Sendable () -> Int64, uptime: @escaping @Sendable () -> Int64 = monotonicMilliseconds
  ) {
    self.real = real
    self.uptime = uptime
  }

  /// The time in this world.
  package var time: Int64 { state.withLock { time(of: $0) } }

  /// Milliseconds for what must pass, such as a wait after too many wrong passwords. They go forward with the clock, stand
  /// still while it is frozen, and do not go back with it.
  package var elapsed: Int64 { state.withLock { elapsed(of: $0) } }

  /// Whether the clock is stopped.
  package var isFrozen: Bool { state.withLock { $0.frozenAt != nil } }

  /// How far the clock is ahead of the real time.
  package var offset: Int64 { time &- real() }

  /// Resets, sets, freezes, runs and advances the clock, in this order.
  package func apply(_ change: ClockChange) {
    if change.reset == true { turn { $0 = State() } }
    if let instant = change.set { turn { set(&$0, to: instant.milliseconds) } }
    if let freeze = change.freeze, freeze != .here(false) {
      turn { state in
        state.frozenAt = time(of: state)
        if case .at(let instant) = freeze { set(&state, to: instant.milliseconds) }
      }
    }
    if change.run == true {
      turn { state in
        let time = time(of: state)
        state.frozenAt = nil
        set(&state, to: time)
      }
    }
    if let duration = change.advance {
      let most = TestInstant.range.upperBound
      turn { set(&$0, to: time(of: $0) + duration.milliseconds.clamped(to: -most...most)) }
    }
  }

  /// Changes the clock, if there is a change, then runs `body`. If that fails, the clock goes on as it was before.
  func trying<Result>(_ change: ClockChange?, _ body: () async throws -> Result) async throws -> Result {
    let before = state.withLock(\.self)
    if let change { apply(change) }
    do {
      return try await body()
    } catch {
      if change != nil { state.withLock { $0 = before } }
      throw error
    }
  }

  /// The change that makes another clock show this one's time; nil if this one shows the real time.
  var document: ClockChange? {
    if isFrozen { return ClockChange(freeze: .at(TestInstant(milliseconds: time))) }
    let offset = state.withLock(\.offset)
    return offset == 0 ? nil : ClockChange(reset: true, advance: TestDuration(milliseconds: offset))
  }

  /// Turns the clock, and adds to `elapsed` what it goes forward.
  private func turn(_ body: (inout State) -> Void) {
    state.withLock { state in
      let (timeBefore, elapsedBefore) = (time(of: state), elapsed(of: state))
      body(&state)
      let elapsed = elapsedBefore &+ max(0, time(of: state) &- timeBefore)
      state.skipped = elapsed &- uptime()
      state.elapsed = state.frozenAt == nil ? nil : elapsed
    }
  }

  private func elapsed(of state: State) -> Int64 {
    state.elapsed ?? (uptime() &+ state.skipped)
  }

  private func time(of state: State) -> Int64 {
    state.frozenAt ?? (real() &+ state.offset).clamped(to: TestInstant.range)
  }

  private func set(_ state: inout State, to instant: Int64) {
    let instant = instant.clamped(to: TestInstant.range)
    if state.frozenAt == nil { state.offset = instant &- real() } else { state.frozenAt = instant }
  }
}
