import Platform
import SelfieTestDocuments

// Compares exchanges with a filter. `ExchangeFilter` in SelfieTestDocuments has the conditions, and `Journal` the
// exchanges.
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

// Makes the report from the journal. Its fields are in SelfieTestDocuments, and `ExchangeFilter` decides what fits.
extension ExchangeMismatch {
  static let maxNear = 5

  /// - Parameters:
  ///   - counts: how many exchanges the test expects.
  ///   - exchanges: all exchanges in the journal, oldest first.
  ///   - lost: how many the journal has already removed.
  init(
    expected counts: ClosedRange<Int>, _ filter: ExchangeFilter, within timeout: Duration? = nil,
    among exchanges: [Exchange], lost: Int
  ) {
    let matching = exchanges.filter(filter.matches)
    let matched = matching.count
    let time = timeout.map { " within \($0)" } ?? ""
    let found = matched == 0 ? "was none" : matched == 1 ? "was 1" : "were \(matched)"
    let note = lost == 0 ? "" : " The \(lost) oldest are no longer kept."
    let isLeast = counts.upperBound == .max
    let number = isLeast ? counts.lowerBound : counts.upperBound
    let limit = isLeast ? "at least" : counts.lowerBound == counts.upperBound ? "exactly" : "at most"
    let expected = number == 0 && !isLeast ? "no" : "\(limit) \(number)"
    self.init(
      message: "Expected \(expected) \(filter.description(count: number))\(time), but there \(found).\(note)",
      matched: matched,
      near: matched > counts.upperBound
        ? matching.prefix(Self.maxNear).map { Near($0, differences: []) }
        : Self.nearest(to: filter, among: exchanges))
  }

  private static func nearest(to filter: ExchangeFilter, among exchanges: [Exchange]) -> [Near] {
    let candidates = exchanges.compactMap { exchange -> (distance: Int, near: Near)? in
      var (distance, differences) = (0, [String]())
      filter.compare(exchange) {
        distance += $0
        differences.append($1())
      }
      return differences.isEmpty ? nil : (distance, Near(exchange, differences: differences))
    }
    // Of two at the same distance, the later one is more likely to be the one that the test means.
    return candidates.sorted { ($0.distance, $1.near.id) < ($1.distance, $0.near.id) }
      .prefix(maxNear).map(\.near)
  }
}
