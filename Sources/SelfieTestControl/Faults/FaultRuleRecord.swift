import HTTPMessages
import Platform
import SelfieTestDocuments

// A rule as JSON, such as {"method":"POST","path":"/api/signin","count":2,"status":503,"fields":{"Retry-After":"5"}},
// and what must be right of it.

extension FaultRule: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .omittable("method", \.method, .method), .omittable("path", \.path, .path), .optional("share", \.share, .share),
    .optional("seed", \.seed, .number(0...UInt64.max)), .omittable("count", \.count, .number(1...Int.max)),
    .omittable("delay", \.delay, .delay), .omittable("status", \.status, .number(200...599)),
    .omittable("body", \.body, .json), .omittable("text", \.text, .any),
    JSONMember(
      name: "message", read: { $1.message = try $0.text("message") ?? $1.defaultMessage },
      write: { if let message = $0.message { $1.member("message", message) } }),
    .omittable("fields", \.givenFields, .fields), .omittable("drop", \.drop, .choice),
    .omittable("drip", \.drip, .record(#"must be {"bytes":10,"every":"50ms"}"#)),
    .omittable("truncate", \.truncate, .record(Cut.rule)), .omittable("malform", \.malform, .choice),
  ]

  private var givenFields: [String: String]? {
    get { fields.isEmpty ? nil : fields }
    set { fields = newValue ?? [:] }
  }

  /// Of a response with a status and nothing else.
  private var defaultMessage: String? { body == nil && text == nil ? status.map(Self.message) : nil }

  static func message(ofStatus status: Int) -> String { "A fault rule answers this request with \(status)." }

  func checkWhole(_ place: String, _ problems: inout Problems) {
    let start = place.isEmpty ? "" : "\(place)."
    let effects = Self.given([
      "status": status, "drop": drop, "drip": drip, "truncate": truncate, "malform": malform,
    ])
    if effects.isEmpty && delay == nil {
      problems.add(
        (place.isEmpty ? "" : "\(place): ") + "Say what goes wrong: status, drop, drip, truncate, malform or delay.")
    }
    if effects.count > 1 {
      problems.add("\(start)\(effects.joined(separator: " and ")) cannot be combined; pass one of them.")
    }
    let contents = Self.given(["message": message, "body": body, "text": text])
    if contents.count > 1 { problems.add("\(start)\(contents.joined(separator: " and ")) exclude each other.") }
    if status == nil, let name = (contents + (fields.isEmpty ? [] : ["fields"])).first {
      problems.add("\(start)\(name) requires status.")
    }
    if [message?.utf8.count, body?.count, text?.utf8.count].contains(where: { $0 ?? 0 > Self.maxBodyBytes }) {
      problems.add("The body of a response can have at most \(Self.maxBodyBytes) bytes.")
    }
    checkFields(&problems)
  }

  /// The names of the values that are not nil.
  private static func given(_ values: KeyValuePairs<String, Any?>) -> [String] {
    values.filter { $0.value != nil }.map(\.key)
  }

  private func checkFields(_ problems: inout Problems) {
    for problem in fields.sorted(by: { $0.key < $1.key }).compactMap(Self.problem) { problems.add(problem) }
    if fields.reduce(0, { $0 + $1.key.utf8.count + $1.value.utf8.count }) > Self.maxFieldBytes {
      problems.add("The fields of a response can have at most \(Self.maxFieldBytes) bytes.")
    }
  }

  /// The fields that the server itself writes.
  private static let serverFields: Set<String> = ["connection", "content-length", "date", "transfer-encoding"]

  private static func problem(_ name: String, _ value: String) -> String? {
    // The part of `tchar` (RFC 9110 §5.6.2) that names of fields consist of.
    if name.isEmpty || !name.utf8.allSatisfy({ $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }) {
      return "fields has an invalid name: use letters, digits and hyphens, as in Retry-After."
    }
    if serverFields.contains(name.lowercased()) {
      return "\(name) is written by the server. To make it wrong, use malform."
    }
    let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isText ? nil : "The value of \(name) must not have control characters, such as line breaks."
  }

  /// A delay must stay well below the two minutes that the server allows a request to take.
  static let maxPause = Duration.seconds(60)
  fileprivate static let maxBytes = 1 << 40
  private static let maxBodyBytes = 1024 * 1024
  /// The largest head that common clients accept.
  private static let maxFieldBytes = 8 * 1024
}

extension FaultRule.Drip: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(bytes: 0, every: .zero) }

  static let members: [JSONMember<Self>] = [
    .required(
      "bytes", \.bytes,
      .number(1...FaultRule.maxBytes, missing: "is missing; it must be how many bytes are sent at once")),
    .required("every", \.every, .pause),
  ]
}

extension FaultRule.Cut: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .omittable("bytes", \.bytes, .number(0...FaultRule.maxBytes)), .omittable("share", \.share, .share),
  ]

  fileprivate static let rule = #"must be {"bytes":100} or {"share":0.5}"#

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if (bytes == nil) == (share == nil) { problems.add("\(place) \(Self.rule).") }
  }
}

extension JSONKind<String> {
  fileprivate static var method: JSONKind {
    any.checked { method in
      Method(method) == .other ? "must be one that the server knows, such as GET, POST or DELETE, in capitals." : nil
    }
  }

  fileprivate static var path: JSONKind {
    any.checked { path in
      guard path.utf8.count <= PathPattern.maxBytes, path.first == "/" || path.first == "*" else {
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
      read: { members, name in
        try members.value(name, "must be a number from 0.0 to 1.0") { value in
          guard case .number(let text) = value, let share = Double(text), (0...1).contains(share) else { return nil }
          return share
        }
      }, write: { $0.written(Array("\($1)".utf8)) }
    ).checked { (0...1).contains($0) ? nil : "must be a number from 0 to 1." }
  }
}

extension JSONKind<[UInt8]> {
  /// Any JSON.
  fileprivate static var json: JSONKind {
    JSONKind(
      read: { members, name in
        members.value(name).map { value in
          var json = JSONWriter()
          json.value(value)
          return json.bytes
        }
      },
      write: { $0.written($1) }
    ).checked { bytes in
      do throws(ParameterError) {
        _ = try JSONReader.read(bytes)
        return nil
      } catch {
        return "must be JSON; anything else can be given as text. \(error.message)"
      }
    }
  }
}

extension JSONKind<[String: String]> {
  fileprivate static var fields: JSONKind {
    JSONKind(
      read: { members, name in
        try members.object(name)?.texts("must be a string") { if case .string(let text) = $0 { text } else { nil } }
      },
      write: { $0.object($1) { $0.string($1) } })
  }
}

extension JSONKind where Value: RawRepresentable<String> & CaseIterable & Sendable {
  fileprivate static var choice: JSONKind {
    let rule = "must be one of " + Value.allCases.map(\.rawValue).joined(separator: ", ")
    return JSONKind(
      read: { members, name in
        try members.value(name, rule) { if case .string(let text) = $0 { Value(rawValue: text) } else { nil } }
      }, write: { $0.string($1.rawValue) })
  }
}

extension JSONKind<Duration> {
  fileprivate static var pause: JSONKind {
    JSONKind(
      read: { try $0.duration($1).map(Duration.milliseconds) }, write: { $0.string($1.text) },
      missing: "is missing; it must be a duration such as \"50ms\""
    ).checked { $0.pauseProblem }
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
      write: { json, range in
        guard range.lowerBound < range.upperBound else { return json.string(range.lowerBound.text) }
        json.object { json in
          json.member("from", range.lowerBound.text)
          json.member("to", range.upperBound.text)
        }
      }
    ).checked { $0.lowerBound.pauseProblem ?? $0.upperBound.pauseProblem }
  }
}

extension Duration {
  fileprivate var text: String { "\(milliseconds)ms" }

  fileprivate var pauseProblem: String? {
    (.zero...FaultRule.maxPause).contains(self) ? nil : "must be a duration from 0s to 60s."
  }
}
