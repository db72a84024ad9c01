import HTTPMessages
import SelfieAPI

extension Exchange {
  /// Writes the members that `Docs/openapi.yaml` describes.
  func writeMembers(to json: inout JSONWriter) {
    json.member("id", id)
    json.member("time", time: time)
    json.member("duration_milliseconds", duration.milliseconds)
    json.member("peer", peer)
    json.member("method", method)
    json.member("path", path)
    json.key("query")
    json.value(.object(query))
    if let queryProblem { json.member("query_problem", queryProblem) }
    Self.write(fields, to: &json)
    json.key("body")
    json.object { json in
      json.key("parameters")
      json.value(.object(body.parameters))
      json.member("byte_count", Int64(body.byteCount))
      json.key("complete")
      json.boolean(body.isComplete)
      json.member("problem", body.problem)
    }
    json.member("status", status.map(Int64.init))
    json.member("error", error)
    json.member("message", message)
    Self.write("response", response, to: &json) { response, json in
      Self.write(response.fields, to: &json)
      json.member("byte_count", response.byteCount.map(Int64.init))
      json.member("text", response.text)
    }
    json.member("fault", fault.map(Int64.init))
    Self.write("token", token, to: &json) { token, json in
      json.member("state", token.state.rawValue)
      json.member("email", token.email)
      json.member("expires_at", time: token.expiresAt)
    }
  }

  /// Writes a member that is an object or null.
  private static func write<Part>(
    _ name: StaticString, _ part: Part?, to json: inout JSONWriter, _ members: (Part, inout JSONWriter) -> Void
  ) {
    json.key(name)
    if let part { json.object { members(part, &$0) } } else { json.null() }
  }

  private static func write(_ fields: [RecordedField], to json: inout JSONWriter) {
    json.member("fields", objects: fields) { json, field in
      json.member("name", field.name)
      json.member("value", field.value)
    }
  }
}

extension ExchangeMismatch.Near {
  func writeMembers(to json: inout JSONWriter) {
    json.member("id", exchange.id)
    json.member("method", exchange.method)
    json.member("path", exchange.path)
    json.member("status", exchange.status.map(Int64.init))
    json.member("message", exchange.message)
    json.member("differences", array: differences) { $0.string($1) }
  }
}
