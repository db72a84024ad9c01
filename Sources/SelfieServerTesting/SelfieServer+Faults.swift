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

    /// Lets new connections to the server fail for a time, up to a minute, in all worlds. Zero ends this.
    ///
    /// A client that keeps connections open may use one of these instead.
    public func failConnections(_ fault: ConnectionFault.Kind, for duration: TestDuration) async throws {
      try await control.send("POST", "faults/connections", ConnectionFault(fault, for: duration))
    }

    /// Removes a rule.
    public func remove(_ id: Int) async throws { try await control.send("DELETE", "faults/\(id)") }

    /// Removes all rules. Responses that they delay are sent now.
    public func removeAll() async throws { try await control.send("DELETE", "faults") }
  }
}
