/// Which exchanges are meant: those that are like everything that is given.
///
///     server.requests.exchanges(matching: .post("/api/signup", status: 200))
///     server.requests.exchanges(matching: .any.with(parameter: "email", "jane@example.com"))
public struct ExchangeFilter: Sendable, Equatable {
  /// `GET`, `POST` and so on.
  public var method: String?
  /// The path without a query; `*` stands for any characters: `/api/*`. It is compared with the path as it came, and
  /// with its plain form: without doubled and trailing slashes, and under `/api/` without a format such as `.json`.
  public var path: String?
  /// The status of the answer.
  public var status: Int?
  /// Which of the answers of its status: the field `X-Error`, such as `expired_token`.
  public var error: String?
  /// A fault that was put into the answer: the id of its rule in ``World/faults``.
  public var fault: FaultRules.ID?
  /// The id of an exchange after which the others came.
  public var since: Int64?
  /// Parameters of the query or of the body, and what they must be. A way such as `image.content_type` leads into one.
  public var parameters: [String: String] = [:]
  /// Header fields of the request, and what they must be. Secrets are compared as the journal shows them.
  public var fields: [String: String] = [:]

  public init(method: String? = nil, path: String? = nil, status: Int? = nil, since: Int64? = nil) {
    self.method = method
    self.path = path
    self.status = status
    self.since = since
  }

  /// Every exchange.
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

  /// Only those that came after an exchange; see ``Journal/lastID``.
  public func since(_ id: Int64) -> ExchangeFilter {
    var filter = self
    filter.since = id
    return filter
  }

  /// Only those with this parameter.
  public func with(parameter name: String, _ value: String) -> ExchangeFilter {
    var filter = self
    filter.parameters[name] = value
    return filter
  }

  /// Only those with this header field.
  public func with(field name: String, _ value: String) -> ExchangeFilter {
    var filter = self
    filter.fields[name] = value
    return filter
  }

  /// Whether it means this exchange.
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

/// A filter, made ready to be compared with many exchanges.
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
  public var description: String {
    let what =
      switch (method, path) {
      case (let method?, let path?): "\(method) \(path)"
      case (let method?, nil): "\(method) request"
      case (nil, let path?): "request to \(path)"
      case (nil, nil): "request"
      }
    let conditions = criteria.compactMap(\.condition)
    return conditions.isEmpty ? what : "\(what) with \(conditions.joined(separator: " and "))"
  }
}
