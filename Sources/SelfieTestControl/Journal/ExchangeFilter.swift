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
    ExchangeMatcher(self).matches(exchange)
  }

  var criteria: [Criterion] {
    var criteria: [Criterion] = []
    if let since { criteria.append(.since(since)) }
    if let method { criteria.append(.method(method)) }
    if let path { criteria.append(.path(PathPattern(path))) }
    if let status { criteria.append(.status(status)) }
    if let error { criteria.append(.error(error)) }
    if let fault { criteria.append(.fault(fault)) }
    criteria += parameters.sorted { $0.key < $1.key }.map { .parameter($0.key, $0.value) }
    criteria += fields.sorted { $0.key < $1.key }.map { .field($0.key, $0.value) }
    return criteria
  }
}

/// A filter that is prepared to be compared with many exchanges.
struct ExchangeMatcher {
  let filter: ExchangeFilter
  let criteria: [Criterion]

  init(_ filter: ExchangeFilter) {
    self.filter = filter
    criteria = filter.criteria
  }

  func matches(_ exchange: Exchange) -> Bool {
    criteria.allSatisfy { $0.isMet(by: exchange) }
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
    let conditions = criteria.compactMap(\.condition)
    return conditions.isEmpty ? what : "\(what) with \(conditions.joined(separator: " and "))"
  }
}
