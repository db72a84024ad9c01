import Platform
import SelfieTestDocuments

extension ExchangeFilter {
  /// `POST /api/signup with status 200 and email "jane@example.com"`, with the noun in the form that follows a number.
  func description(count: Int) -> String {
    let request = inflected("request", count)
    let what =
      switch (method, path) {
      case (let method?, let path?): "\(method) \(path)"
      case (let method?, nil): "\(method) \(request)"
      case (nil, let path?): "\(request) to \(path)"
      case (nil, nil): request
      }
    let words =
      [
        since.map { "an id above \($0)" }, status.map { "status \($0)" }, error.map { "error \($0)" },
        fault.map { "fault \($0)" },
      ].compactMap(\.self) + Self.texts(of: parameters).map { "\($0) \"\($1)\"" }
      + Self.texts(of: fields).map { "\($0): \($1)" }
    return words.isEmpty ? what : "\(what) with \(words.joined(separator: " and "))"
  }

  func matches(_ exchange: Exchange) -> Bool {
    var matches = true
    compare(exchange) { _, _ in matches = false }
    return matches
  }

  /// Calls `isUnmet` for each condition that an exchange does not meet, with how far the exchange is from meeting it, and
  /// how it differs.
  func compare(_ exchange: Exchange, isUnmet: (_ distance: Int, _ difference: @autoclosure () -> String) -> Void) {
    if let since, exchange.id <= since { isUnmet(4, "it came before") }
    if let method, exchange.method != method.uppercased() { isUnmet(3, "the method is \(exchange.method)") }
    if let path, !PathPattern(path).matches(Array(exchange.path.utf8)[...]) {
      let areAlike = Self.areAlike(Array(path.utf8), Array(exchange.path.utf8))
      isUnmet(areAlike ? 2 : 6, "the path is \(exchange.path)")
    }
    if let status, exchange.status != status {
      isUnmet(1, exchange.status.map { "the status is \($0)" } ?? "there is no response")
    }
    if let error, exchange.error != error {
      isUnmet(1, exchange.error.map { "the error is \($0)" } ?? "there is no error")
    }
    if let fault, exchange.fault != fault {
      isUnmet(1, exchange.fault.map { "the fault is \($0)" } ?? "there is no fault")
    }
    for (name, value) in Self.texts(of: parameters) where !Self.areEqual(exchange[name], value) {
      isUnmet(1, Self.difference(of: name, exchange, from: value))
    }
    for (name, value) in Self.texts(of: fields) where !Self.areEqual(exchange.field(name), value) {
      isUnmet(1, exchange.field(name).map { "\(name) is \(Self.shortened($0))" } ?? "\(name) is missing")
    }
  }

  private static func difference(of name: String, _ exchange: Exchange, from value: String) -> String {
    guard let text = exchange[name] else {
      return exchange.value(name) == nil ? "\(name) is missing" : "\(name) is not one text"
    }
    return "\(name) is \"\(shortened(text))\", not \"\(shortened(value))\""
  }

  private static func texts(of values: [String: JSONValue]?) -> [(name: String, value: String)] {
    (values ?? [:]).compactMap { name, value in value.text.map { (name, $0) } }.sorted { $0.name < $1.name }
  }

  /// Byte by byte.
  private static func areEqual(_ text: String?, _ expected: String) -> Bool {
    text.map(ExactText.init) == ExactText(expected)
  }

  /// Whether two paths differ in a few letters only, as by a typing error.
  private static func areAlike(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let prefix = zip(one, other).prefix { $0 == $1 }.count
    let suffix = zip(one.dropFirst(prefix).reversed(), other.dropFirst(prefix).reversed()).prefix { $0 == $1 }.count
    return (prefix + suffix) * 3 >= max(one.count, other.count) * 2
  }

  private static func shortened(_ text: String) -> String {
    text.count <= 200 ? text : "\(text.prefix(200))…"
  }
}
