import Platform

/// Matches the exchanges that meet all of its conditions.
///
///     server.requests.exchanges(matching: .post("/api/signup", status: 200))
///     server.requests.exchanges(matching: .any.with(parameter: "email", "jane@example.com"))
public struct ExchangeFilter: Sendable, Equatable {
  /// `GET`, `POST` and so on.
  public var method: String?
  /// The path without the query. A `*` stands for any characters: `/api/*`. It is compared with the path as it was sent
  /// and with its plain form, which has no doubled or trailing slashes and, under `/api/`, no format such as `.json`.
  public var path: String?
  /// The status of the response.
  public var status: Int?
  /// The response's field `X-Error`, such as `expired_token`.
  public var error: String?
  /// The id of the fault rule that fired.
  public var fault: FaultRules.ID?
  /// The id of an exchange; only later exchanges match.
  public var since: Int64?
  /// Parameters of the query or the body, and their values. A path such as `image.content_type` leads into a parameter.
  public var parameters: [String: String] = [:]
  /// Header fields of the request, and their values. Secrets are compared as the journal shows them: masked.
  public var fields: [String: String] = [:]

  public init(method: String? = nil, path: String? = nil, status: Int? = nil, since: Int64? = nil) {
    self.method = method
    self.path = path
    self.status = status
    self.since = since
  }

  /// Matches every exchange.
  public static let any = ExchangeFilter()

  public static func get(_ path: String, status: Int? = nil) -> ExchangeFilter {
    ExchangeFilter(method: "GET", path: path, status: status)
  }

  public static func post(_ path: String, status: Int? = nil) -> ExchangeFilter {
    ExchangeFilter(method: "POST", path: path, status: status)
  }

  public static func delete(_ path: String, status: Int? = nil) -> ExchangeFilter {
    ExchangeFilter(method: "DELETE", path: path, status: status)
  }

  /// Matches only exchanges after the one with this id; see ``Journal/lastID``.
  public func since(_ id: Int64) -> ExchangeFilter {
    var filter = self
    filter.since = id
    return filter
  }

  /// Matches only exchanges with this parameter.
  public func with(parameter name: String, _ value: String) -> ExchangeFilter {
    var filter = self
    filter.parameters[name] = value
    return filter
  }

  /// Matches only exchanges with this header field.
  public func with(field name: String, _ value: String) -> ExchangeFilter {
    var filter = self
    filter.fields[name] = value
    return filter
  }

  public func matches(_ exchange: Exchange) -> Bool {
    conditions.areMet(by: exchange)
  }
}

extension ExchangeFilter: CustomStringConvertible {
  /// `POST /api/signup with status 200 and email "jane@example.com"`.
  public var description: String { description(count: 1) }

  /// With the noun in the form that follows a number.
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
      method.map { method in
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
      + parameters.sorted { $0.key < $1.key }.map { name, value in
        .init(words: "\(name) \"\(value)\"", isMet: Self.isExactly(value) { $0[name] }) { exchange in
          guard let text = exchange[name] else {
            return exchange.value(name) == nil ? "\(name) is missing" : "\(name) is not one text"
          }
          return "\(name) is \"\(Self.shortened(text))\""
        }
      }
      + fields.sorted { $0.key < $1.key }.map { name, value in
        .init(words: "\(name): \(value)", isMet: Self.isExactly(value) { $0.field(name) }) { exchange in
          exchange.field(name).map { "\(name) is \(Self.shortened($0))" } ?? "\(name) is missing"
        }
      }
  }

  private static func isExactly(
    _ value: String, _ text: @escaping @Sendable (Exchange) -> String?
  ) -> @Sendable (Exchange) -> Bool {
    let expected = ExactText(value)
    return { text($0).map(ExactText.init) == expected }
  }

  private static func condition<Value: Equatable & Sendable>(
    _ name: String, _ expected: Value?, _ path: KeyPath<Exchange, Value?> & Sendable, without: String
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
