/// The values that are new in each run, numbered in the order in which responses bring them.
struct Shapes {
  private var known: [String: [String]] = [:]

  /// `<kind#number>` of a value.
  mutating func name(_ kind: String, _ value: String) -> String {
    var values = known[kind, default: []]
    defer { known[kind] = values }
    if let index = values.firstIndex(of: value) { return "<\(kind)#\(index + 1)>" }
    values.append(value)
    return "<\(kind)#\(values.count)>"
  }

  /// The value that has this name; nil before a response has brought it.
  func value(of name: String) -> String? {
    let parts = name.dropFirst().dropLast().split(separator: "#")
    guard parts.count == 2, let values = known[String(parts[0])], let number = Int(parts[1]),
      values.indices.contains(number - 1)
    else { return nil }
    return values[number - 1]
  }

  /// A body with names in the place of such values. A value that does not look as it should is left as it is.
  mutating func describe(_ body: String) -> String {
    if body.hasPrefix("<!DOCTYPE html>"), let title = body.firstMatch(of: /<title>(.*?)<\/title>/) {
      return "<page \"\(title.1)\">"
    }
    let member = Self.member
    var described = ""
    var rest = body[...]
    while let match = rest.firstMatch(of: member) {
      described += rest[..<match.range.lowerBound]
      let following = rest[match.range.upperBound...]
      described += "\"\(match.1)\":" + describe(match.2, of: match.1, before: following)
      rest = following
    }
    return described + rest
  }

  private static var member: Regex<(Substring, Substring, Substring)> {
    /"(api_authtoken|random_id|image_url|id|user_id)":("[^"\\]*"|[0-9]+)/
  }

  /// A field's value with names in the place of such values.
  mutating func describe(_ value: String, ofField field: String) -> String {
    switch field {
    case "etag" where FieldRule.anyTag.allows(value): return name("etag", value)
    case "location":
      guard let match = value.wholeMatch(of: /\/notes\/([0-9]+)\.json/) else { return value }
      return "/notes/\(name("note", String(match.1))).json"
    case "set-cookie":
      guard let match = value.wholeMatch(of: /auth_tkt=([A-Za-z]{32})(;.*)/) else { return value }
      return "auth_tkt=\(name("session", String(match.1)))\(match.2)"
    default: return value
    }
  }

  /// - Parameter rest: what follows the value. The title of a note comes after its id, that of a photo does not.
  private mutating func describe(_ value: Substring, of member: Substring, before rest: Substring) -> String {
    let letters = value.dropFirst().dropLast()
    switch member {
    case "api_authtoken" where value.wholeMatch(of: /"[A-Za-z]{24}([0-9a-f]{64})?"/) != nil:
      return "\"\(name("token", String(letters)))\""
    case "random_id" where value.wholeMatch(of: /"[A-Za-z]{41}"/) != nil:
      return "\"\(name("id", String(letters)))\""
    case "image_url":
      guard let match = value.wholeMatch(of: /"(http.*\/)([A-Za-z]{41})"/) else { return String(value) }
      return "\"\(match.1)\(name("id", String(match.2)))\""
    case "id" where letters.wholeMatch(of: /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/) != nil:
      return "\"\(name("post", String(letters)))\""
    case "id" where value.first != "\"":
      return name(rest.hasPrefix(",\"title\":") ? "note" : "photo", String(value))
    case "user_id" where value.first != "\"": return name("user", String(value))
    default: return String(value)
    }
  }
}
