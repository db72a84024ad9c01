public import SelfieTestDocuments

// The faults of a test's server, from the test's side. `FaultRule` in SelfieTestDocuments describes a fault, and
// `FaultRules` in SelfieTestControl applies it.
extension SelfieServer {
  /// The faults that this server injects.
  public var faults: Faults { Faults(control: control) }

  /// The fault rules of a server, which are tried for each request in the order in which they were added.
  public struct Faults: Sendable {
    let control: ControlClient

    /// All rules and what they have done.
    public var all: [ListedFault] {
      get async throws { try await (control.send("GET", "faults") as FaultList).faults }
    }

    /// The fault of the server's new connections, with the time that it still lasts; nil if there is none.
    public var connections: ConnectionFault? {
      get async throws { try await (control.send("GET", "faults") as FaultList).connections }
    }

    /// Adds a rule after the others.
    ///
    /// - Returns: its id.
    @discardableResult
    public func add(_ rule: FaultRule) async throws -> Int { try await add([rule])[0] }

    /// Adds all of the rules, or none if one is invalid.
    @discardableResult
    public func add(_ rules: [FaultRule]) async throws -> [Int] {
      try await (control.send("POST", "faults", NewFaults(rules)) as FaultIDs).ids
    }

    /// Lets new connections to the server fail for a time, up to a minute, in all worlds. Zero ends this, and so do
    /// ``removeAll()``, ``SelfieServer/reset()`` and the end of this world.
    ///
    /// A client that keeps connections open may use one of these instead. The control interface of a server that the
    /// test has started has a port of its own, which goes on. At `SELFIE_URL`, `SELFIE_CONTROL_URL` names such a port.
    public func failConnections(_ fault: ConnectionFault.Kind, for duration: TestDuration) async throws {
      try await control.send("POST", "faults/connections", ConnectionFault(fault, for: duration))
    }

    /// Removes a rule.
    public func remove(_ id: Int) async throws { try await control.send("DELETE", "faults/\(id)") }

    /// Removes all rules, and ends a fault of connections. Responses that the rules delay are sent now.
    public func removeAll() async throws { try await control.send("DELETE", "faults") }
  }
}
