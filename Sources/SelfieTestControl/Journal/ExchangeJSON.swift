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
    RecordedValue.members(query).write(to: &json)
    if let queryProblem { json.member("query_problem", queryProblem) }
    json.member("fields", objects: fields) { json, field in
      json.member("name", field.name)
      json.member("value", field.value)
    }
    json.key("body")
    body.write(to: &json)
    json.member("status", status)
    json.member("error", error)
    json.member("message", message)
    json.member("fault", fault)
    json.key("token")
    if let token { token.write(to: &json) } else { json.null() }
  }
}

extension RecordedToken {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.member("state", state.rawValue)
      json.member("email", email)
      json.member("expires_at", time: expiresAt)
    }
  }
}

extension RecordedBody {
  fileprivate func write(to json: inout JSONWriter) {
    json.object { json in
      json.key("parameters")
      RecordedValue.members(parameters).write(to: &json)
      json.member("byte_count", Int64(byteCount))
      json.key("complete")
      json.boolean(isComplete)
      json.member("problem", problem)
    }
  }
}

extension RecordedValue {
  fileprivate func write(to json: inout JSONWriter) {
    switch self {
    case .null: json.null()
    case .boolean(let isTrue): json.boolean(isTrue)
    case .number(let text): json.written(Array(text.utf8))
    case .text(let text): json.string(text)
    case .list(let elements):
      json.array { json in
        for element in elements { element.write(to: &json) }
      }
    case .members(let members): Self.write(members, to: &json)
    case .file(let file): Self.write(file.members, to: &json)
    }
  }

  private static func write(_ members: [String: RecordedValue], to json: inout JSONWriter) {
    json.object { json in
      for (name, value) in members.sorted(by: { $0.key < $1.key }) {
        json.key(text: name)
        value.write(to: &json)
      }
    }
  }
}

extension ExchangeMismatch.Near {
  func writeMembers(to json: inout JSONWriter) {
    json.member("id", exchange.id)
    json.member("method", exchange.method)
    json.member("path", exchange.path)
    json.member("status", exchange.status)
    json.member("message", exchange.message)
    json.member("differences", array: differences) { $0.string($1) }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: StaticString, _ number: Int?) {
    key(name)
    if let number { integer(Int64(number)) } else { null() }
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds &* 1000 &+ components.attoseconds / 1_000_000_000_000_000
  }
}
