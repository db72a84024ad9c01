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
    let rules: [FaultRule]
    if let several = try body.objects("faults") {
      try body.allow(["faults"])
      rules = try several.map(Self.rule)
    } else {
      rules = [try Self.rule(body)]
    }
    let ids = try faults.add(rules)
    return .json { $0.member("ids", array: ids) { $0.integer(Int64($1)) } }
  }

  private static func rule(_ members: JSONMembers) throws -> FaultRule {
    let rule = try FaultRule(members)
    try rule.check(at: members.place)
    return rule
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
      throw ControlError(.notFound, "There is no fault rule \(call.name). GET /__admin/faults lists those there are.")
    }
    return .json { $0.member("removed", 1) }
  }
}
