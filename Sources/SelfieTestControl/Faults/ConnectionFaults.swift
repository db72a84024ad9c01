package import HTTPMessages
import Platform
package import SelfieTestDocuments

/// Lets the new connections of a server fail for a time. `FaultRules` has the faults of single responses.
package final class ConnectionFaults: Sendable {
  /// Begins a fault in place of another; nil ends it.
  package typealias Switch = @Sendable (ConnectionFault.Kind?) throws -> Void
  /// Whether refused connections would cut the sender of a request off from the control interface, too.
  package typealias CutsOff = @Sendable (Request) -> Bool

  private struct Running {
    let kind: ConnectionFault.Kind
    /// In monotonic milliseconds.
    let end: Int64
    /// The world that began it; nil for the main one.
    let world: String?
    let timer: Task<Void, Never>
  }

  private struct State {
    var set: Switch = { _ in }
    var cutsOff: CutsOff = { _ in false }
    var running: Running?

    /// Ends the fault, if there is one.
    mutating func end() {
      guard let running else { return }
      running.timer.cancel()
      self.running = nil
      try? set(nil)
    }
  }

  private let state = Monitor(State())

  /// Says how faults begin. Until then, they have no effect.
  package func setSwitch(_ set: @escaping Switch, cutsOff: @escaping CutsOff = { _ in false }) {
    state.withLock { ($0.set, $0.cutsOff) = (set, cutsOff) }
  }

  /// The fault, with the time that it still lasts.
  var current: ConnectionFault? {
    state.withLock(\.running).map {
      ConnectionFault($0.kind, for: .milliseconds(max(0, $0.end - monotonicMilliseconds())))
    }
  }

  /// - Parameters:
  ///   - world: the world whose test begins it; nil for the main one.
  ///   - request: asks for it.
  func begin(_ fault: ConnectionFault, in world: String?, for request: Request) throws -> ConnectionFault {
    let milliseconds = fault.duration.milliseconds
    guard (0...FaultRule.maxPause.milliseconds).contains(milliseconds) else {
      throw ControlError.invalid("for must be a duration from 0s to 60s.")
    }
    try state.withLock { state in
      guard milliseconds > 0 else { return state.end() }
      guard fault.fault != .refused || !state.cutsOff(request) else { throw Self.cutOff }
      do {
        try state.set(fault.fault)
      } catch let error as ConfigurationError {
        throw ControlError.invalid("\(error)")
      }
      // Not before: a fault that lasts still ends if another is not possible.
      state.running?.timer.cancel()
      let timer = Task { [self] in
        try? await Task.sleep(for: .milliseconds(milliseconds))
        self.state.withLock { if !Task.isCancelled { $0.end() } }
      }
      state.running = Running(
        kind: fault.fault, end: monotonicMilliseconds() + milliseconds, world: world, timer: timer)
    }
    return fault
  }

  private static let cutOff = ControlError(
    .conflict,
    """
    The control interface would be refused, too: it has no port of its own that this client can reach. Start the server with \
    CONTROL_ADDRESS, such as 0.0.0.0:3001, publish that port, and set SELFIE_CONTROL_URL to its address.
    """)

  /// Ends a fault that a world has begun, whose test is over. The main world ends those of all worlds.
  func end(in world: String?) {
    state.withLock { state in
      if world == nil || state.running?.world == world { state.end() }
    }
  }
}
