import Platform
import SelfieTestDocuments

// Compares exchanges with a filter. `ExchangeFilter` in SelfieTestDocuments has the conditions, `Journal` the exchanges,
// and RequestCondition.swift compares the parts that faults also ask for.

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
    var words = [
      since.map { "an id above \($0)" }, status.map { "status \($0)" }, error.map { "error \($0)" },
      fault.map { "fault \($0)" },
    ].compactMap(\.self)
    words += condition.words
    return words.isEmpty ? what : "\(what) with \(words.joined(separator: " and "))"
  }

  /// Whether an exchange meets all conditions. One that is under way may leave that open.
  enum Match { case yes, no, open }

  func match(_ exchange: Exchange) -> Match {
    var match = Match.yes
    compare(exchange) { distance, _ in
      if distance.isOpen, match != .no { match = .open } else { match = .no }
    }
    return match
  }

  func matches(_ exchange: Exchange) -> Bool { match(exchange) == .yes }

  /// Calls `isUnmet` for each condition that an exchange does not meet, with how far the exchange is from meeting it, and
  /// how it differs.
  func compare(
    _ exchange: Exchange, isUnmet: (_ distance: Distance, _ difference: @autoclosure () -> String) -> Void
  ) {
    if let since, exchange.id <= since, !exchange.isUnderWay { isUnmet(4, "it came before") }
    if let method, exchange.method != method.uppercased() { isUnmet(3, "the method is \(exchange.method)") }
    if let path, !PathPattern(path).matches(Array(exchange.path.utf8)[...]) {
      let areAlike = Self.areAlike(Array(path.utf8), Array(exchange.path.utf8))
      isUnmet(Distance(areAlike ? 2 : 6), "the path is \(exchange.path)")
    }
    if exchange.isUnderWay, status != nil || error != nil || fault != nil {
      isUnmet(.open, "there is no response yet")
    } else {
      compareResponse(exchange, isUnmet: isUnmet)
    }
    condition.compare(exchange, isUnmet: isUnmet)
  }

  private func compareResponse(
    _ exchange: Exchange, isUnmet: (_ distance: Distance, _ difference: @autoclosure () -> String) -> Void
  ) {
    if let status, exchange.status != status {
      isUnmet(1, exchange.status.map { "the status is \($0)" } ?? "there is no response")
    }
    if let error, exchange.error != error {
      isUnmet(1, exchange.error.map { "the error is \($0)" } ?? "there is no error")
    }
    if let fault, exchange.fault != fault {
      isUnmet(1, exchange.fault.map { "the fault is \($0)" } ?? "there is no fault")
    }
  }

  /// Whether two paths differ in a few letters only, as by a typing error.
  private static func areAlike(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    let prefix = zip(one, other).prefix { $0 == $1 }.count
    let suffix = zip(one.dropFirst(prefix).reversed(), other.dropFirst(prefix).reversed()).prefix { $0 == $1 }.count
    return (prefix + suffix) * 3 >= max(one.count, other.count) * 2
  }
}
