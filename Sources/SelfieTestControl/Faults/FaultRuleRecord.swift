import HTTPMessages
import Platform

// A rule as JSON, such as {"method":"POST","path":"/api/signin","count":2,"status":503,"fields":{"Retry-After":"5"}},
// and what must be right of it.

extension FaultRule: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(.none) }

  static let members: [JSONMember<Self>] =
    [
      .omittable("method", \.method, .method), .omittable("path", \.path, .path), .optional("share", \.share, .share),
      .optional("seed", \.seed, .seed), .omittable("count", \.count, .times), .omittable("delay", \.delay, .delay),
      JSONMember(
        name: "status", read: { $1.effect = try Effect($0) }, check: { $0.effect.check($1, &$2) },
        write: { $0.effect.writeMembers(to: &$1) }),
    ] + ["message", "body", "text", "fields", "drop", "drip", "truncate", "malform"].map(JSONMember.name)

  func checkWhole(_ place: String, _ problems: inout Problems) {
    guard effect == .none, delay == nil else { return }
    problems.add(
      (place.isEmpty ? "" : "\(place): ") + "Say what goes wrong: status, drop, drip, truncate, malform or delay.")
  }

  /// Throws when the rule is invalid.
  func check(at place: String = "") throws(ControlError) {
    var problems = Problems()
    check(place, &problems)
    try problems.finish()
  }

  /// A delay must stay well below the two minutes that the server allows a request to take.
  static let maxPause = Duration.seconds(60)
  fileprivate static let maxBytes = 1 << 40
  fileprivate static let maxBodyBytes = 1024 * 1024
  /// The largest head that common clients accept.
  fileprivate static let maxFieldBytes = 8 * 1024
}

extension JSONKind<String> {
  fileprivate static var method: JSONKind {
    any.checked { method in
      Method(method) == .other ? "must be one that the server knows, such as GET, POST or DELETE, in capitals." : nil
    }
  }

  fileprivate static var path: JSONKind {
    any.checked { path in
      guard path.first == "/" || path.first == "*", path.utf8.count <= PathPattern.maxBytes else {
        return
          "must begin with / or *, as in /api/signin or /photos/*, and have at most \(PathPattern.maxBytes) bytes."
      }
      return path.contains("?") ? "is compared without the query: leave out the ?." : nil
    }
  }
}

extension JSONKind<Double> {
  fileprivate static var share: JSONKind {
    JSONKind(
      read: { try $0.number($1, in: 0...1) }, write: { $0.member($1, number: $2) },
      problem: { (0...1).contains($0) ? nil : "must be a number from 0 to 1." })
  }
}

extension JSONKind<UInt64> {
  fileprivate static var seed: JSONKind {
    JSONKind(
      read: { try $0.integer($1, in: 0...Int64.max).map(UInt64.init) }, write: { $0.member($1, number: $2) })
  }
}

extension JSONKind<Int> {
  fileprivate static var times: JSONKind {
    JSONKind(
      read: { try $0.integer($1, in: 1...Int64(Int32.max)).map(Int.init) }, write: { $0.member($1, number: $2) },
      problem: { $0 >= 1 ? nil : "must be 1 or more." })
  }
}

extension JSONKind<ClosedRange<Duration>> {
  /// `"2s"`, or `{"from":"100ms","to":"2s"}`.
  fileprivate static var delay: JSONKind {
    JSONKind(
      read: { members, name in
        guard case .object? = members.value(name), let range = try members.object(name) else {
          return try members.duration(name).map { .milliseconds($0) ... .milliseconds($0) }
        }
        try range.allow(["from", "to"])
        guard let from = try range.duration("from"), let to = try range.duration("to"), from <= to else {
          throw members.wrong(
            name, #"must be a duration, or {"from":"100ms","to":"2s"} with the shorter one first"#)
        }
        return .milliseconds(from) ... .milliseconds(to)
      },
      write: { json, name, range in
        guard let range, range.lowerBound < range.upperBound else { return json.member(name, range?.lowerBound.text) }
        json.key(name)
        json.object { json in
          json.member("from", range.lowerBound.text)
          json.member("to", range.upperBound.text)
        }
      }, problem: { $0.lowerBound.pauseProblem ?? $0.upperBound.pauseProblem })
  }
}

extension Duration {
  fileprivate var text: String { "\(milliseconds)ms" }

  fileprivate var pauseProblem: String? {
    (.zero...FaultRule.maxPause).contains(self) ? nil : "must be a duration from 0s to 60s."
  }
}

extension FaultRule.Effect {
  fileprivate init(_ json: JSONMembers) throws {
    let given = ["status", "drop", "drip", "truncate", "malform"].filter(json.has)
    guard given.count <= 1 else { throw json.wrong(given.joined(separator: " and "), "cannot be done both; give one") }
    for name in ["message", "body", "text", "fields"] where json.has(name) && given != ["status"] {
      throw json.wrong(name, "belongs to a response with a status")
    }
    let bytes = Int64(FaultRule.maxBytes)
    let example = #"must be {"bytes":100} or {"share":0.5}"#
    if let status = try json.integer("status", in: 200...599) {
      self = .stub(try FaultRule.StubResponse(json, status: Int(status)))
    } else if let moment: FaultRule.Moment = try json.choice("drop") {
      self = .drop(moment)
    } else if let malformation: FaultRule.Malformation = try json.choice("malform") {
      self = .malform(malformation)
    } else if let drip = try json.object("drip", #"must be {"bytes":10,"every":"50ms"}"#) {
      try drip.allow(["bytes", "every"])
      guard let bytes = try drip.integer("bytes", in: 1...bytes) else {
        throw drip.wrong("bytes", "is missing; it must be how many bytes are sent at once")
      }
      guard let pause = try drip.duration("every") else {
        throw drip.wrong("every", "is missing; it must be a duration such as \"50ms\"")
      }
      self = .drip(bytes: Int(bytes), pause: .milliseconds(pause))
    } else if let truncate = try json.object("truncate", example) {
      try truncate.allow(["bytes", "share"])
      switch (try truncate.integer("bytes", in: 0...bytes), try truncate.number("share", in: 0...1)) {
      case (let bytes?, nil): self = .truncate(.bytes(Int(bytes)))
      case (nil, let share?): self = .truncate(.share(share))
      default: throw json.wrong("truncate", example)
      }
    } else {
      self = .none
    }
  }

  fileprivate func check(_ start: String, _ problems: inout Problems) {
    switch self {
    case .none, .drop, .malform: break
    case .stub(let stub): stub.check(start, &problems)
    case .drip(let bytes, let pause):
      if !(1...FaultRule.maxBytes).contains(bytes) {
        problems.add("\(start)drip.bytes must be a whole number of 1 or more.")
      }
      if let problem = pause.pauseProblem { problems.add("\(start)drip.every \(problem)") }
    case .truncate(.bytes(let bytes)):
      if !(0...FaultRule.maxBytes).contains(bytes) {
        problems.add("\(start)truncate.bytes must be a whole number of 0 or more.")
      }
    case .truncate(.share(let share)):
      if !(0...1).contains(share) { problems.add("\(start)truncate.share must be a number from 0 to 1.") }
    }
  }

  fileprivate func writeMembers(to json: inout JSONWriter) {
    switch self {
    case .none: break
    case .stub(let stub): stub.writeMembers(to: &json)
    case .drop(let moment): json.member("drop", moment.rawValue)
    case .malform(let malformation): json.member("malform", malformation.rawValue)
    case .drip(let bytes, let pause):
      json.key("drip")
      json.object { json in
        json.member("bytes", Int64(bytes))
        json.member("every", pause.text)
      }
    case .truncate(let cut):
      json.key("truncate")
      json.object { json in
        switch cut {
        case .bytes(let bytes): json.member("bytes", Int64(bytes))
        case .share(let share): json.member("share", number: share)
        }
      }
    }
  }
}

extension FaultRule.StubResponse {
  fileprivate init(_ json: JSONMembers, status: Int) throws {
    let contents = ["message", "body", "text"].filter(json.has)
    guard contents.count <= 1 else { throw json.wrong(contents.joined(separator: " and "), "exclude each other") }
    let content: FaultRule.Content
    if let body = json.value("body") {
      var json = JSONWriter()
      json.value(body)
      content = .json(json.bytes)
    } else if let text = try json.text("text") {
      content = .text(text)
    } else {
      content = .message(try json.text("message") ?? "A fault rule answers this request with \(status).")
    }
    let fields = try json.object("fields")?.texts("must be a string") {
      if case .string(let text) = $0 { text } else { nil }
    }
    self.init(status: status, content: content, fields: fields ?? [:])
  }

  fileprivate func writeMembers(to json: inout JSONWriter) {
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
    json.object(fields) { $0.string($1) }
  }

  fileprivate func check(_ start: String, _ problems: inout Problems) {
    if !(200...599).contains(status) { problems.add("\(start)status must be a whole number from 200 to 599.") }
    let count: Int
    switch content {
    case .message(let text), .text(let text): count = text.utf8.count
    case .json(let bytes):
      count = bytes.count
      do {
        _ = try JSONReader.read(bytes)
      } catch {
        problems.add("\(start)body must be JSON; anything else can be given as text. \(error.message)")
      }
    }
    if count > FaultRule.maxBodyBytes {
      problems.add("The body of a response may have \(FaultRule.maxBodyBytes) bytes.")
    }
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      if let problem = Self.problem(name, value) { problems.add(problem) }
    }
    if fields.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) > FaultRule.maxFieldBytes {
      problems.add("The fields of a response may have \(FaultRule.maxFieldBytes) bytes.")
    }
  }

  /// The fields that the server itself writes.
  private static let serverFields: Set<String> = ["connection", "content-length", "date", "transfer-encoding"]

  private static func problem(_ name: String, _ value: String) -> String? {
    // The part of `tchar` (RFC 9110 §5.6.2) that names of fields consist of.
    if name.isEmpty || !name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }) {
      return "fields has a name that is none: letters, digits and hyphens are taken, as in Retry-After."
    }
    if serverFields.contains(name.lowercased()) {
      return "\(name) is written by the server itself. To make it wrong, malform the response."
    }
    let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isText ? nil : "The value of \(name) must have no control characters, such as line breaks."
  }
}

extension JSONMembers {
  fileprivate func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String) throws -> Choice? {
    try value(name, "must be one of " + Choice.allCases.map(\.rawValue).joined(separator: ", ")) { value in
      if case .string(let text) = value { Choice(rawValue: text) } else { nil }
    }
  }
}

extension JSONWriter {
  /// Writes a value that was read. The members of objects are sorted by name.
  fileprivate mutating func value(_ value: ParameterValue) {
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
    case .object(let members): object(members) { $0.value($1) }
    }
  }
}
