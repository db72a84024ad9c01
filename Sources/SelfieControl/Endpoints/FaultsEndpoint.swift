import HTTPMessages
import SelfieAPI

extension World {
  /// `GET /__admin/faults` lists the rules with what they have done, `POST` adds one or several, `DELETE` removes one or
  /// all.
  func faults(_ call: ControlCall) async throws -> Response {
    switch (call.path.count, call.method) {
    case (1, .get), (1, .head): return listFaults()
    case (1, .post): return try addFaults(await call.body(upTo: 2 * ControlCall.maxBytes))
    case (1, .delete):
      let count = faults.all.count
      faults.removeAll()
      return .json { $0.member("removed", Int64(count)) }
    case (2, .delete):
      guard let id = Int(call.path[1]), faults.remove(id) else {
        throw ControlError(
          .notFound, "There is no fault rule \(call.path[1]). GET /__admin/faults lists those there are.")
      }
      return .json { $0.member("removed", 1) }
    case (1, _): throw ControlError.methodNotAllowed("GET, POST, DELETE")
    case (2, _): throw ControlError.methodNotAllowed("DELETE")
    default: throw ControlError.notFound
    }
  }

  private func listFaults() -> Response {
    .json { json in
      json.key("faults")
      json.array { json in
        for entry in faults.all {
          json.object { json in
            json.member("id", Int64(entry.id))
            entry.rule.write(to: &json)
            json.member("matched", Int64(entry.matched))
            json.member("fired", Int64(entry.fired))
            if let remaining = entry.remaining { json.member("remaining", Int64(remaining)) }
          }
        }
      }
    }
  }

  private func addFaults(_ body: JSONMembers) throws -> Response {
    let rules: [FaultRule]
    if let several = try body.objects("faults") {
      try body.allow("faults")
      rules = try several.map(FaultRule.init)
    } else {
      rules = [try FaultRule(body)]
    }
    let ids: [FaultRules.ID]
    do {
      ids = try faults.add(rules)
    } catch {
      throw ControlError.badRequest(error.description)
    }
    return .json { json in
      json.key("ids")
      json.array { json in
        for id in ids { json.integer(Int64(id)) }
      }
    }
  }
}
