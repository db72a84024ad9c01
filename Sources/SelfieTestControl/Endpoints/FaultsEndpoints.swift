import HTTPMessages
import SelfieAPI
import SelfieTestDocuments

// The endpoints of faults. `FaultRules` and `ConnectionFaults` inject the faults.
extension Worlds {
  /// `POST /__admin/faults/connections`: lets new connections fail for a time.
  func failConnections(_ call: ControlCall) async throws -> Response {
    .json(try connectionFaults.begin(await call.body(), in: Self.worldName(of: call.request), for: call.request))
  }

  /// `GET /__admin/faults`: lists the rules and what they have done, and the fault of connections.
  func listFaults(of world: World, _ call: ControlCall) -> Response {
    .json(FaultList(world.faults.all, connections: connectionFaults.current))
  }

  /// `DELETE /__admin/faults`: removes all rules, and ends a fault of connections.
  func removeFaults(of world: World, _ call: ControlCall) -> Response {
    let count = world.faults.all.count
    world.faults.removeAll()
    connectionFaults.end(in: Self.worldName(of: call.request))
    return .json(Removed(count))
  }
}

extension World {

  /// `POST /__admin/faults`: adds one rule or several.
  func addFaults(_ call: ControlCall) async throws -> Response {
    let members = try await call.members(upTo: 2 * ControlCall.maxBytes)
    guard members["faults"] != nil else {
      return .json(FaultIDs(try faults.add([ControlCall.document(of: members)])))
    }
    let rules = try ControlCall.document(NewFaults.self, of: members).faults
    return .json(FaultIDs(try faults.add(rules) { "faults[\($0)]" }))
  }

  /// `DELETE /__admin/faults/{id}`: removes a rule.
  func removeFault(_ call: ControlCall) throws -> Response {
    guard let id = Int(call.name), faults.remove(id) else {
      throw ControlError(.notFound, "There is no fault rule \(call.name). GET /__admin/faults lists all rules.")
    }
    return .json(Removed(1))
  }
}
