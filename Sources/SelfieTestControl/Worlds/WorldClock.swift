import HTTPMessages
import Platform
import SelfieTestDocuments

/// A clock that a test can set. Everything in its world that depends on time follows it: when a token expires, when a
/// photo was created, how long failed sign-ins are throttled.
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

  /// The times that the clock can show.
  package static let range = TestInstant.range

  private let state = Monitor(State())
  private let real: @Sendable () -> Int64
  private let uptime: @Sendable () -> Int64

  /// A clock that shows the real time until it is set.
  ///
  /// - Parameter uptime: monotonic milliseconds; the system's if nil.
  package init(real: @escaping @Sendable () -> Int64, uptime: (@Sendable () -> Int64)? = nil) {
    self.real = real
    self.uptime = uptime ?? monotonicMilliseconds
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

  /// Moves the clock forward, or backward by negative milliseconds. A frozen clock stays frozen.
  package func advance(by milliseconds: Int64) {
    change { state in
      let (time, isTooFar) = time(of: state).addingReportingOverflow(milliseconds)
      set(&state, to: isTooFar ? (milliseconds < 0 ? .min : .max) : time)
    }
  }

  /// Sets the clock to a time, from which it goes on as before: running or frozen.
  package func set(to instant: Int64) {
    change { set(&$0, to: instant) }
  }

  /// Stops the clock, at a time or where it is.
  package func freeze(at instant: Int64?) {
    change { state in
      state.frozenAt = time(of: state)
      if let instant { set(&state, to: instant) }
    }
  }

  /// Lets a frozen clock run on from where it is.
  package func run() {
    change { state in
      let time = time(of: state)
      state.frozenAt = nil
      set(&state, to: time)
    }
  }

  /// Resets, sets, freezes, runs and advances the clock, in this order.
  func apply(_ change: ClockChange) {
    if change.reset == true { reset() }
    if let instant = change.set { set(to: instant.milliseconds) }
    switch change.freeze {
    case .here(true): freeze(at: nil)
    case .at(let instant): freeze(at: instant.milliseconds)
    case .here(false), nil: break
    }
    if change.run == true { run() }
    if let duration = change.advance { advance(by: duration.milliseconds) }
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

  /// Lets the clock show the real time again.
  package func reset() {
    change { $0 = State() }
  }

  /// Turns the clock, and adds to `elapsed` what it goes forward.
  private func change(_ body: (inout State) -> Void) {
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
    state.frozenAt ?? (real() &+ state.offset).clamped(to: Self.range)
  }

  private func set(_ state: inout State, to instant: Int64) {
    let instant = instant.clamped(to: Self.range)
    if state.frozenAt == nil { state.offset = instant &- real() } else { state.frozenAt = instant }
  }
}
