import TestSupport

/// What may stand in a field of a response.
enum FieldRule {
  case text(String)
  case absent
  case anyTag, requestID, seconds, sentence

  func allows(_ value: String?) -> Bool {
    switch self {
    case .text(let expected): value == expected
    case .absent: value == nil
    case .anyTag: value?.wholeMatch(of: /"[0-9a-f]{32}"/) != nil
    case .requestID: value?.wholeMatch(of: /[0-9a-f]{32}/) != nil
    case .sentence: value?.wholeMatch(of: /[\x20-\x7e]{1,300}/) != nil
    case .seconds: value?.wholeMatch(of: /[0-9]+\.[0-9]{6}/) != nil
    }
  }

  var description: String {
    switch self {
    case .text(let expected): expected
    case .absent: "none"
    case .anyTag: "a strong tag of 32 hexadecimal digits"
    case .requestID: "32 hexadecimal digits"
    case .sentence: "up to 300 printable characters of ASCII"
    case .seconds: "seconds with six fraction digits"
    }
  }
}

extension ExpectedResponse {
  /// A line for every part of a response that is not as it should be. `shapes` numbers the values that it brings.
  func differences(from response: RawResponse, shapes: inout Shapes) -> [String] {
    var found: [String] = []
    if response.status != status { found.append("status: expected \(status), got \(response.status)") }
    found += fieldDifferences(from: response, shapes: &shapes)
    let actual = shapes.describe(String(decoding: response.body, as: UTF8.self))
    let hasMore = body.hasSuffix(Self.more)
    let wanted = hasMore ? String(body.dropLast(Self.more.count)) : body
    if !(hasMore ? actual.utf8.starts(with: wanted.utf8) : actual.utf8.elementsEqual(wanted.utf8)) {
      found.append(Self.bodyDifference(wanted, actual))
    }
    return found
  }

  /// Stands at the end of a body for what depends on earlier runs.
  private static let more = "<more>"

  private func fieldDifferences(from actual: RawResponse, shapes: inout Shapes) -> [String] {
    let rules = rules
    var found: [String] = []
    var seen: [String: String] = [:]
    for (name, value) in actual.fields where !RawResponse.connectionFields.contains(name) {
      if seen.updateValue(value, forKey: name) != nil { found.append("\(name): sent twice") }
      if rules[name] == nil { found.append("\(name): expected none, got \(value)") }
    }
    for (name, rule) in rules.sorted(by: { $0.key < $1.key }) {
      var value = seen[name]
      if case .text(let expected) = rule, expected.contains("#"), expected.contains(/<[a-z]+#[0-9]+>/) {
        value = value.map { shapes.describe($0, ofField: name) }
      }
      if !rule.allows(value) { found.append("\(name): expected \(rule.description), got \(value ?? "none")") }
    }
    return found
  }

  /// What the fields should be, by their names in lower case.
  private var rules: [String: FieldRule] {
    var rules: [String: FieldRule] = [
      "x-frame-options": .text("SAMEORIGIN"), "x-xss-protection": .text("1; mode=block"),
      "x-content-type-options": .text("nosniff"), "x-request-id": .requestID, "x-runtime": .seconds,
      "cache-control": .text(
        status == 200 || status == 304 ? "max-age=0, private, must-revalidate" : "no-cache"),
    ]
    if status == 200 || status == 304 { rules["etag"] = .anyTag }
    if status >= 400 { rules["x-error-detail"] = .sentence }
    if status != 204 && status != 304 { rules["content-type"] = .text("application/json; charset=utf-8") }
    for field in fields {
      rules[field.name.lowercased()] = field.value == "(none)" ? .absent : .text(field.value)
    }
    return rules
  }

  /// Both bodies, around the first byte that differs.
  private static func bodyDifference(_ expected: String, _ actual: String) -> String {
    let common = zip(expected.utf8, actual.utf8).prefix { $0 == $1 }.count
    func around(_ text: String) -> String {
      let bytes = Array(text.utf8)
      let range = max(0, common - 60)..<min(bytes.count, common + 100)
      guard !range.isEmpty else { return "nothing" }
      return (range.lowerBound > 0 ? "…" : "") + String(decoding: bytes[range], as: UTF8.self)
        + (range.upperBound < bytes.count ? "…" : "")
    }
    return "body, from byte \(common) on:\n  expected \(around(expected))\n  got      \(around(actual))"
  }
}
