import Cryptography
import HTTPMessages
import Platform
import SelfieAPI
import SelfieTestDocuments

// Compares requests with what a filter of exchanges or a fault asks of them. `RequestCondition` in SelfieTestDocuments has
// what that is.
extension RequestCondition {
  /// How a sentence names what it asks for.
  var words: [String] {
    [user.map { "a token of \($0)" }, token.map { _ in "the token (…)" }].compactMap(\.self)
      + Self.sorted(parameters).map { name, value in
        switch value {
        case .equals(let text): "\(name) \"\(text)\""
        case .contains(let text): "\(name) containing \"\(text)\""
        case .absent: "no \(name)"
        }
      }
      + Self.sorted(fields).map { name, value in
        switch value {
        case .equals(let text): "\(name): \(text)"
        case .contains(let text): "\(name) containing \"\(text)\""
        case .absent: "no field \(name)"
        }
      }
  }

  /// Whether a request meets it, of which the head and perhaps the parameters of the body are known.
  func isMet(by exchange: Exchange) -> Bool {
    var isMet = true
    compare(exchange) { _, _ in isMet = false }
    return isMet
  }

  /// Calls `isUnmet` for each part that a request does not meet, with how far the request is from it, and how it differs.
  func compare(
    _ exchange: Exchange, isUnmet: (_ distance: Distance, _ difference: @autoclosure () -> String) -> Void
  ) {
    if let user, exchange.token?.email != user {
      let other = exchange.token.map { $0.email.map { "of \($0)" } ?? "unknown" }
      isUnmet(1, other.map { "the token is \($0)" } ?? "there is no token")
    }
    if let token, exchange.token?.digest != Digest.hex(SelfieAPI.Token.digest(of: Array(token.utf8))) {
      isUnmet(1, exchange.token == nil ? "there is no token" : "the token is another one")
    }
    for (name, value) in Self.sorted(parameters) {
      let found = exchange.value(name)
      if exchange.isUnderWay, found == nil, !exchange.body.complete {
        isUnmet(.open, "the body is still being read")
      } else if !value.isMet(by: found) {
        isUnmet(1, Self.difference(of: name, exchange, from: value))
      }
    }
    for (name, value) in Self.sorted(fields) {
      let found = exchange.field(name)
      if !value.isMet(by: found.map(JSONValue.string)) {
        isUnmet(1, found.map { "\(name) is \(Self.shortened($0))" } ?? "\(name) is missing")
      }
    }
  }

  private static func difference(of name: String, _ exchange: Exchange, from value: ValueCondition) -> String {
    guard let text = exchange[name] else {
      if exchange.value(name) == nil { return "\(name) is missing" }
      return value == .absent ? "\(name) is there" : "\(name) is not one text"
    }
    let found = "\(name) is \"\(shortened(text))\""
    guard case .equals(let expected) = value else { return found }
    return "\(found), not \"\(shortened(expected))\""
  }

  private static func sorted(_ conditions: [String: ValueCondition]) -> [(name: String, value: ValueCondition)] {
    conditions.map { ($0, $1) }.sorted { $0.0 < $1.0 }
  }

  private static func shortened(_ text: String) -> String {
    text.count <= 200 ? text : "\(text.prefix(200))…"
  }
}

extension ValueCondition {
  /// Compares texts byte by byte.
  ///
  /// - Parameter value: nil if there is none.
  fileprivate func isMet(by value: JSONValue?) -> Bool {
    switch self {
    case .absent: value == nil
    case .equals(let expected): value?.text.map(ExactText.init) == ExactText(expected)
    case .contains(let part):
      value?.text.map { text in
        part.isEmpty || Array(text.utf8)[...].firstOccurrence(of: Array(part.utf8), from: 0) != nil
      } ?? false
    }
  }
}

extension RequestCondition {
  /// More than a request of any client has. Each one is compared with every exchange.
  private static let maxValues = 64

  /// - Parameter place: where it stands in its document, with a dot after it; empty if its members stand there.
  func validate(at place: String, _ problems: inout Problems) {
    if parameters.count + fields.count > Self.maxValues {
      problems.add("\(place)parameters and fields can have at most \(Self.maxValues) members together.")
    }
  }
}

/// How far an exchange is from meeting a condition.
struct Distance: ExpressibleByIntegerLiteral {
  let value: Int

  init(integerLiteral value: Int) { self.value = value }
  init(_ value: Int) { self.value = value }

  /// Of a condition that only the end of a request decides.
  static let open: Distance = 0
  var isOpen: Bool { value == 0 }
}
