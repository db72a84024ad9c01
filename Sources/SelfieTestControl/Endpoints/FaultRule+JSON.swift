import HTTPMessages
import SelfieAPI

// A rule as JSON, such as {"method":"POST","path":"/api/signin","count":2,"status":503,"fields":{"Retry-After":"5"}}.
extension FaultRule {
  private static let effects = ["status", "drop", "drip", "truncate", "malform"]

  init(_ json: JSONMembers) throws {
    try json.allow(
      "method", "path", "share", "seed", "count", "delay", "status", "message", "body", "text", "fields", "drop",
      "drip", "truncate", "malform")
    self.init(try Self.effect(json))
    method = try json.text("method")
    path = try json.text("path")
    if let share = try json.number("share", in: 0...1) { self.share = share }
    if let seed = try json.integer("seed", in: 0...Int64.max) { self.seed = UInt64(seed) }
    count = try json.integer("count", in: 1...Int64(Int32.max)).map(Int.init)
    delay = try Self.delay(json)
    guard effect != .none || delay != nil else {
      throw ControlError.badRequest(
        (json.place.isEmpty ? "" : "\(json.place): ")
          + "Say what goes wrong: \(Self.effects.joined(separator: ", ")) or delay.")
    }
    do {
      try check()
    } catch {
      throw ControlError.badRequest((json.place.isEmpty ? "" : "\(json.place): ") + error.description)
    }
  }

  private static func effect(_ json: JSONMembers) throws -> Effect {
    let given = effects.filter(json.has)
    guard given.count <= 1 else { throw json.wrong(given.joined(separator: " and "), "cannot be done both; give one") }
    for name in ["message", "body", "text", "fields"] where json.has(name) && given != ["status"] {
      throw json.wrong(name, "belongs to a response with a status")
    }
    if json.has("status") { return .stub(try stub(json)) }
    if let moment: Moment = try choice(json, "drop") { return .drop(moment) }
    if let malformation: Malformation = try choice(json, "malform") { return .malform(malformation) }
    if let drip = try json.object("drip", #"must be {"bytes":10,"every":"50ms"}"#) {
      try drip.allow("bytes", "every")
      guard let bytes = try drip.integer("bytes", in: 1...Int64(Bounds.maxBytes)) else {
        throw drip.wrong("bytes", "is missing; it must be how many bytes are sent at once")
      }
      guard let pause = try drip.duration("every") else {
        throw drip.wrong("every", "is missing; it must be a duration such as \"50ms\"")
      }
      return .drip(bytes: Int(bytes), pause: .milliseconds(pause))
    }
    let example = #"must be {"bytes":100} or {"share":0.5}"#
    guard let truncate = try json.object("truncate", example) else { return .none }
    try truncate.allow("bytes", "share")
    switch (try truncate.integer("bytes", in: 0...Int64(Bounds.maxBytes)), try truncate.number("share", in: 0...1)) {
    case (let bytes?, nil): return .truncate(.bytes(Int(bytes)))
    case (nil, let share?): return .truncate(.share(share))
    default: throw json.wrong("truncate", example)
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ json: JSONMembers, _ name: String
  ) throws -> Choice? {
    try json.value(name, "must be one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")) { value in
      if case .string(let text) = value { Choice(rawValue: text) } else { nil }
    }
  }

  private static func stub(_ json: JSONMembers) throws -> StubResponse {
    guard let status = try json.integer("status", in: 200...599) else { throw json.wrong("status", "is missing") }
    let contents = ["message", "body", "text"].filter(json.has)
    guard contents.count <= 1 else { throw json.wrong(contents.joined(separator: " and "), "exclude each other") }
    let content: Content
    if let body = json.value("body") {
      var json = JSONWriter()
      json.value(body)
      content = .json(json.bytes)
    } else if let text = try json.text("text") {
      content = .text(text)
    } else {
      content = .message(try json.text("message") ?? "A fault rule answers this request with \(status).")
    }
    var fields: [String: String] = [:]
    if let given = try json.object("fields") {
      for name in given.names { fields[name] = try given.requiredText(name) }
    }
    return StubResponse(status: Int(status), content: content, fields: fields)
  }

  /// `"2s"`, or `{"from":"100ms","to":"2s"}`.
  private static func delay(_ json: JSONMembers) throws -> ClosedRange<Duration>? {
    guard case .object? = json.value("delay"), let range = try json.object("delay") else {
      return try json.duration("delay").map { .milliseconds($0) ... .milliseconds($0) }
    }
    try range.allow("from", "to")
    guard let from = try range.duration("from"), let to = try range.duration("to"), from <= to else {
      throw json.wrong("delay", #"must be a duration, or {"from":"100ms","to":"2s"} with the shorter one first"#)
    }
    return .milliseconds(from) ... .milliseconds(to)
  }
}

extension FaultRule {
  /// Writes the members of the rule.
  func write(to json: inout JSONWriter) {
    if let method { json.member("method", method) }
    if let path { json.member("path", path) }
    json.key("share")
    json.written(Array("\(share)".utf8))
    json.key("seed")
    json.written(Array("\(seed)".utf8))
    if let count { json.member("count", Int64(count)) }
    if let delay { Self.write(delay, to: &json) }
    switch effect {
    case .none: break
    case .stub(let stub): stub.write(to: &json)
    case .drop(let moment): json.member("drop", moment.rawValue)
    case .malform(let malformation): json.member("malform", malformation.rawValue)
    case .drip(let bytes, let pause):
      json.key("drip")
      json.object { json in
        json.member("bytes", Int64(bytes))
        json.member("every", Self.text(pause))
      }
    case .truncate(let cut):
      json.key("truncate")
      json.object { json in
        switch cut {
        case .bytes(let bytes): json.member("bytes", Int64(bytes))
        case .share(let share):
          json.key("share")
          json.written(Array("\(share)".utf8))
        }
      }
    }
  }

  private static func write(_ delay: ClosedRange<Duration>, to json: inout JSONWriter) {
    json.key("delay")
    guard delay.lowerBound < delay.upperBound else { return json.string(text(delay.lowerBound)) }
    json.object { json in
      json.member("from", text(delay.lowerBound))
      json.member("to", text(delay.upperBound))
    }
  }

  private static func text(_ duration: Duration) -> String {
    "\(Int64(duration / .milliseconds(1)))ms"
  }
}

extension FaultRule.StubResponse {
  fileprivate func write(to json: inout JSONWriter) {
    json.member("status", Int64(status))
    switch content {
    case .message(let message): json.member("message", message)
    case .text(let text): json.member("text", text)
    case .json(let bytes):
      json.key("body")
      json.written(bytes)
    }
    guard !fields.isEmpty else { return }
    json.key("fields")
    json.object { json in
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        json.key(text: name)
        json.string(value)
      }
    }
  }
}

extension JSONWriter {
  /// Writes a value that was read. The members of objects are sorted by name.
  mutating func value(_ value: ParameterValue) {
    switch value {
    // JSON has no files.
    case .null, .file: null()
    case .bool(let isTrue): boolean(isTrue)
    case .number(let number): written(Array(number.utf8))
    case .string(let text): string(text)
    case .array(let elements):
      array { json in
        for element in elements { json.value(element) }
      }
    case .object(let members):
      object { json in
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
          json.key(text: name)
          json.value(member)
        }
      }
    }
  }
}
