import Platform
package import SelfieTestDocuments

/// Lets the new connections of a server fail for a time. `FaultRules` has the faults of single responses.
package final class ConnectionFaults: Sendable {
  /// Begins a fault in place of another; nil ends it.
  package typealias Switch = @Sendable (ConnectionFault.Kind?) throws -> Void

  private let state = Monitor<(set: Switch, end: Task<Void, Never>?)>(({ _ in }, nil))

  /// Says how faults begin. Until then, they have no effect.
  package func setSwitch(_ set: @escaping Switch) { state.withLock { $0.set = set } }

  func begin(_ fault: ConnectionFault) throws -> ConnectionFault {
    let milliseconds = fault.duration.milliseconds
    guard (0...FaultRule.maxPause.milliseconds).contains(milliseconds) else {
      throw ControlError.invalid("for must be a duration from 0s to 60s.")
    }
    try state.withLock { state in
      do {
        try state.set(milliseconds == 0 ? nil : fault.fault)
      } catch let error as ConfigurationError {
        throw ControlError.invalid("\(error)")
      }
      // Not before: a fault that lasts still ends if another is not possible.
      state.end?.cancel()
      state.end = Task { [self] in
        try? await Task.sleep(for: .milliseconds(milliseconds))
        self.state.withLock { if !Task.isCancelled { try? $0.set(nil) } }
      }
    }
    return fault
  }
}
