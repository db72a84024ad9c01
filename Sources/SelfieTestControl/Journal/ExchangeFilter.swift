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
    let words = conditions.compactMap(\.words)
    return words.isEmpty ? what : "\(what) with \(words.joined(separator: " and "))"
  }
}

/// One condition of a filter.
struct ExchangeCondition: Sendable {
  /// The words for it after a method and a path; nil for the method and the path themselves.
  var words: String?
  let isMet: @Sendable (Exchange) -> Bool
  /// Describes how an exchange that does not meet the condition differs.
  let difference: @Sendable (Exchange) -> String
  /// How far an exchange that does not meet the condition is from meeting it.
  var distance: @Sendable (Exchange) -> Int = { _ in 1 }
}

extension [ExchangeCondition] {
  func areMet(by exchange: Exchange) -> Bool { allSatisfy { $0.isMet(exchange) } }
}

extension ExchangeFilter {
  /// The conditions that an exchange must meet, in a form that is quick to apply to many exchanges.
  var conditions: [ExchangeCondition] {
    let conditions: [ExchangeCondition?] = [
      since.map { id in
        .init(
          words: "an id above \(id)", isMet: { $0.id > id }, difference: { _ in "it came before" },
          distance: { _ in 4 })
      },
      method.map { $0.uppercased() }.map { method in
        .init(isMet: { $0.method == method }, difference: { "the method is \($0.method)" }, distance: { _ in 3 })
      },
      path.map { path in
        let pattern = PathPattern(path)
        return .init(
          isMet: { pattern.matches(Array($0.path.utf8)[...]) }, difference: { "the path is \($0.path)" },
          distance: { Self.areAlike(Array(path.utf8), Array($0.path.utf8)) ? 2 : 6 })
      },
      Self.condition("status", status, \.status, without: "there is no response"),
      Self.condition("error", error, \.error, without: "there is no error"),
      Self.condition("fault", fault, \.fault, without: "there is no fault"),
    ]
    return conditions.compactMap(\.self)
      + Self.texts(of: parameters).map { name, value in
        .init(words: "\(name) \"\(value)\"", isMet: Self.isExactly(value) { $0[name] }) { exchange in
          guard let text = exchange[name] else {
            return exchange.value(name) == nil ? "\(name) is missing" : "\(name) is not one text"
          }
          return "\(name) is \"\(Self.shortened(text))\", not \"\(Self.shortened(value))\""
        }
      }
      + Self.texts(of: fields).map { name, value in
        .init(words: "\(name): \(value)", isMet: Self.isExactly(value) { $0.field(name) }) { exchange in
          exchange.field(name).map { "\(name) is \(Self.shortened($0))" } ?? "\(name) is missing"
        }
      }
  }

  private static func texts(of values: [String: JSONValue]?) -> [(name: String, value: String)] {
    (values ?? [:]).compactMap { name, value in value.text.map { (name, $0) } }.sorted { $0.name < $1.name }
  }

  private static func isExactly(
    _ value: String, _ text: @escaping @Sendable (Exchange) -> String?
  ) -> @Sendable (Exchange) -> Bool {
    let expected = ExactText(value)
    return { text($0).map(ExactText.init) == expected }
  }

  private static func condition<Value: Equatable & Sendable>(
    _ name: String, _ expected: Value?, _ path: any KeyPath<Exchange, Value?> & Sendable, without: String
  ) -> ExchangeCondition? {
    expected.map { expected in
      .init(words: "\(name) \(expected)", isMet: { $0[keyPath: path] == expected }) { exchange in
        exchange[keyPath: path].map { "the \(name) is \($0)" } ?? without
      }
    }
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
