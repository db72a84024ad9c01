// Filters of exchanges, and the answers about them. `Journal` in SelfieTestControl finds the exchanges.

/// Matches the exchanges that meet all of its conditions: `.post("/api/signup", status: 200)`.
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
  public var fault: Int?
  /// The id of an exchange; only later exchanges match.
  public var since: Int64?
  /// What the request must have besides. In JSON, its members stand beside the others.
  public var condition = RequestCondition()

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

  /// Matches only exchanges after the one with this id.
  public func since(_ id: Int64) -> ExchangeFilter {
    var filter = self
    filter.since = id
    return filter
  }

  /// Matches only exchanges with this parameter.
  public func with(parameter name: String, _ value: String) -> ExchangeFilter { with(parameter: name, .equals(value)) }

  /// Matches only exchanges whose parameter meets a condition: `.with(parameter: "title", .contains("sea"))`.
  public func with(parameter name: String, _ value: ValueCondition) -> ExchangeFilter {
    meeting { $0.parameters[name] = value }
  }

  /// Matches only exchanges with this header field.
  public func with(field name: String, _ value: String) -> ExchangeFilter { with(field: name, .equals(value)) }

  /// Matches only exchanges whose header field meets a condition.
  public func with(field name: String, _ value: ValueCondition) -> ExchangeFilter {
    meeting { $0.fields[name] = value }
  }

  /// Matches only exchanges that lack this parameter.
  public func without(parameter name: String) -> ExchangeFilter { with(parameter: name, .absent) }

  /// Matches only exchanges that lack this header field.
  public func without(field name: String) -> ExchangeFilter { with(field: name, .absent) }

  /// Matches only exchanges with a token of this user.
  public func of(user email: String) -> ExchangeFilter { meeting { $0.user = email } }

  /// Matches only exchanges with this token, such as those of one of a user's devices.
  public func of(token: String) -> ExchangeFilter { meeting { $0.token = token } }

  private func meeting(_ change: (inout RequestCondition) -> Void) -> ExchangeFilter {
    var filter = self
    change(&filter.condition)
    return filter
  }
}

extension ExchangeFilter: Codable {
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    method = try members.decodeIfPresent(String.self, forKey: .method)
    path = try members.decodeIfPresent(String.self, forKey: .path)
    status = try members.decodeIfPresent(Int.self, forKey: .status)
    error = try members.decodeIfPresent(String.self, forKey: .error)
    fault = try members.decodeIfPresent(Int.self, forKey: .fault)
    since = try members.decodeIfPresent(Int64.self, forKey: .since)
    condition = try RequestCondition(from: decoder)
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encodeIfPresent(method, forKey: .method)
    try members.encodeIfPresent(path, forKey: .path)
    try members.encodeIfPresent(status, forKey: .status)
    try members.encodeIfPresent(error, forKey: .error)
    try members.encodeIfPresent(fault, forKey: .fault)
    try members.encodeIfPresent(since, forKey: .since)
    try condition.encode(to: encoder)
  }

  private enum CodingKeys: String, CodingKey { case method, path, status, error, fault, since }
}

/// Exchanges that a test expects in this order, each after the one before. `POST /__admin/requests/verify` takes it in
/// place of a filter and a count.
public struct ExpectedOrder: Codable, Sendable {
  public var order: [ExchangeFilter]

  public init(_ order: [ExchangeFilter]) { self.order = order }
}

/// How many exchanges a test expects: one of the three. `POST /__admin/requests/verify` takes it with a filter.
public struct ExpectedCount: Codable, Sendable {
  public var exactly: Int?
  public var atLeast: Int?
  public var atMost: Int?

  public init(exactly: Int? = nil, atLeast: Int? = nil, atMost: Int? = nil) {
    (self.exactly, self.atLeast, self.atMost) = (exactly, atLeast, atMost)
  }

  enum CodingKeys: String, CodingKey { case exactly, atLeast = "at_least", atMost = "at_most" }
}

/// For how many exchanges a test waits, and how long. `POST /__admin/requests/wait` takes it with a filter.
public struct AwaitedCount: Codable, Sendable {
  /// By default, 1.
  public var count: Int?
  /// In real time. By default, 5 seconds.
  public var timeout: TestDuration?

  public init(count: Int? = nil, timeout: TestDuration? = nil) { (self.count, self.timeout) = (count, timeout) }
}

/// Exchanges that a filter matches.
public struct ExchangeList: Codable, Sendable {
  /// How many match, which may be more than are listed.
  public let matched: Int
  /// The id of the newest exchange that there has been; 0 before the first. Only in a list that did not wait.
  public let lastID: Int64?
  /// The oldest first. All of them have ended.
  public let requests: [Exchange]
  /// The requests that match, or may do so, and are still being answered. Only in a list that did not wait.
  public let underWay: [Exchange]?
  /// How many exchanges are no longer kept, whether they would match or not. Only in a list that did not wait.
  public let lost: Int?

  package init(
    matched: Int, lastID: Int64? = nil, requests: [Exchange], underWay: [Exchange]? = nil, lost: Int? = nil
  ) {
    (self.matched, self.lastID, self.requests) = (matched, lastID, requests)
    (self.underWay, self.lost) = (underWay, lost)
  }

  enum CodingKeys: String, CodingKey { case matched, lastID = "last_id", requests, underWay = "under_way", lost }
}

/// A filter does not match as many exchanges as expected: the body of a 422, and the error of a test.
public struct ExchangeMismatch: Codable, Error, Sendable {
  /// An exchange that comes close to the filter.
  public struct Near: Codable, Sendable {
    /// 0 while there is no response yet.
    public let id: Int64
    public let method: String
    public let path: String
    public let status: Int?
    public let message: String?
    /// Why it was refused: what was found in it, and what is needed.
    public let detail: String?
    /// How it differs from the filter: `the status is 401`; empty for an exchange that matches.
    public let differences: [String]
    /// The id of the fault rule that fired.
    public let fault: Int?

    package init(_ exchange: Exchange, differences: [String]) {
      (id, method, path) = (exchange.id, exchange.method, exchange.path)
      (status, message, detail, fault) = (exchange.status, exchange.message, exchange.detail, exchange.fault)
      self.differences = differences
    }
  }

  /// 422.
  public let status: Int
  /// The expectation and the number of matching exchanges, in one sentence.
  public let message: String
  /// How many exchanges matched.
  public let matched: Int
  /// The first of the matching exchanges. Unless too many matched, those that come closest follow, the closest first.
  public let near: [Near]
  /// What else may explain it: the clock and the faults that the test has set, and such requests in other worlds.
  public package(set) var circumstances: [String] = []

  package init(message: String, matched: Int, near: [Near]) {
    (status, self.message, self.matched, self.near) = (422, message, matched, near)
  }
}

extension ExchangeMismatch: CustomStringConvertible {
  /// The message, and the exchanges that show what happened instead.
  public var description: String {
    let matching = near.filter(\.differences.isEmpty)
    let nearest = near.filter { !$0.differences.isEmpty }
    let titleOfMatching = matching.count < matched ? "The first are:" : matched == 1 ? "It is:" : "They are:"
    let titleOfNearest = nearest.count == 1 ? "The nearest is:" : "The nearest are:"
    let lines =
      [message] + Self.list(matching, titleOfMatching) + Self.list(nearest, titleOfNearest) + circumstances
    return lines.joined(separator: "\n")
  }

  private static func list(_ exchanges: [Near], _ title: String) -> [String] {
    exchanges.isEmpty ? [] : [title] + exchanges.map { "  \($0)" }
  }
}

extension ExchangeMismatch.Near: CustomStringConvertible {
  public var description: String {
    var exchange = Exchange()
    (exchange.id, exchange.method, exchange.path) = (id, method, path)
    (exchange.status, exchange.message, exchange.fault) = (status, message, fault)
    let line = differences.isEmpty ? "\(exchange)" : "\(exchange): \(differences.joined(separator: ", "))"
    guard let detail, detail != message else { return line }
    return "\(line)\n      \(detail)"
  }
}
