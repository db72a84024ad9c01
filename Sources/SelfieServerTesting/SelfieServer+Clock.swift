public import Foundation
public import SelfieTestDocuments

// The clock of a test's server, from the test's side. `WorldClock` in SelfieTestControl keeps the time.
extension SelfieServer {
  /// The clock of this server. Everything that depends on time follows it, above all the expiry of tokens.
  public var clock: Clock { Clock(control: control) }

  /// The clock of a server.
  public struct Clock: Sendable {
    let control: ControlClient

    /// The time that the clock shows, in whole milliseconds.
    public var now: Date {
      get async throws { Date(timeIntervalSince1970: Double(try await reading.now.milliseconds) / 1000) }
    }

    /// Whether the clock is stopped.
    public var isFrozen: Bool { get async throws { try await reading.frozen } }

    private var reading: ClockReading { get async throws { try await control.send("GET", "clock") } }

    /// Moves the clock forward, or backward by a negative duration. A frozen clock stays frozen.
    public func advance(by duration: TestDuration) async throws {
      try await change(ClockChange(advance: duration))
    }

    /// Sets the clock to a time, from which it goes on as before: running or frozen.
    public func set(to instant: Date) async throws { try await change(ClockChange(set: Self.instant(instant))) }

    /// Stops the clock, at a time or where it is.
    public func freeze(at instant: Date? = nil) async throws {
      try await change(ClockChange(freeze: instant.map { .at(Self.instant($0)) } ?? .here(true)))
    }

    /// Lets a frozen clock run on from where it is.
    public func run() async throws { try await change(ClockChange(run: true)) }

    /// Lets the clock show the real time again.
    public func reset() async throws { try await change(ClockChange(reset: true)) }

    private func change(_ change: ClockChange) async throws { try await control.send("POST", "clock", change) }

    private static func instant(_ date: Date) -> TestInstant {
      let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
      return TestInstant(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }
  }
}
