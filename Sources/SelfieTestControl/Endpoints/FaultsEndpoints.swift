import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/faults`: lists the rules and what they have done.
  func listFaults(_ call: ControlCall) -> Response {
    .json { json in
      json.member("faults", objects: faults.all) { json, entry in
        json.member("id", Int64(entry.id))
        entry.rule.writeMembers(to: &json)
        json.member("matched", Int64(entry.matched))
        json.member("fired", Int64(entry.fired))
        if let remaining = entry.remaining { json.member("remaining", Int64(remaining)) }
      }
    }
  }

  /// `POST /__admin/faults`: adds one rule or several.
  func addFaults(_ call: ControlCall) async throws -> Response {
    let body = try await call.body(upTo: 2 * ControlCall.maxBytes)
    let rules = try body.array("faults") { try FaultRule($0, name: $1, in: body) }
    if let rules {
      try body.allow(["faults"])
      for (index, rule) in rules.enumerated() { try rule.check(at: "faults[\(index)]") }
    }
    let ids = try faults.add(rules ?? [FaultRule(body)])
    return .json { $0.member("ids", array: ids) { $0.integer(Int64($1)) } }
  }

  /// `DELETE /__admin/faults`: removes all rules.
  func removeFaults(_ call: ControlCall) -> Response {
    let count = faults.all.count
    faults.removeAll()
    return .json { $0.member("removed", Int64(count)) }
  }

  /// `DELETE /__admin/faults/{id}`: removes a rule.
  func removeFault(_ call: ControlCall) throws -> Response {
    guard let id = Int(call.name), faults.remove(id) else {
      throw ControlError(.notFound, "There is no fault rule \(call.name). GET /__admin/faults lists all rules.")
    }
    return .json { $0.member("removed", 1) }
  }
}
