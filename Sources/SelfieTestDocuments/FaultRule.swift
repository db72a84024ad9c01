// Faults of responses and of connections, as documents. `FaultRules` in SelfieTestControl injects them.

/// A fault to inject, and the requests to inject it into:
///
///     try await server.faults.add(.status(503, fields: ["Retry-After": "5"]).on("POST", "/api/signin").times(2))
///     try await server.faults.add(.delay(.milliseconds(100) ... .seconds(2)))
///     try await server.faults.add(.drop(.beforeAnswer).on("POST", "/api/upload_photo").share(0.3, seed: 7))
///
/// Without ``on(_:_:)`` a rule applies to all requests for the API and for photos. Monitors request `/`, `/up` and
/// `/readyz` at any time, so only rules with exactly that path apply to them. No rule applies to the control interface.
/// An invalid rule, such as one with a share of 2, is rejected when it is added.
public struct FaultRule: Sendable, Equatable {
  /// The method of the request, such as `POST`; nil for any.
  public var method: String?
  /// The path of the request; nil for any. A `*` stands for any characters, slashes included.
  ///
  /// It is compared with the path as it was sent, without the query, and with its plain form, which has no doubled or
  /// trailing slashes and, under `/api/`, no format such as `.json`.
  public var path: String?
  /// The share of the matching requests for which the rule fires, 0...1. They are drawn from the seed, so they are the
  /// same in every run that sends the same requests in the same order. By default, 1.
  public var share: Double?
  /// By default, 0.
  public var seed: UInt64?
  /// How many matching requests pass before the rule fires for the first time. By default, none.
  public var skip: Int?
  /// How many times the rule fires; nil for no limit.
  public var count: Int?
  /// What else a request must have.
  public var condition: RequestCondition?
  /// How much later the response is sent. The request is handled at once, so it has its effect even if the client gives
  /// up waiting.
  public var delay: Delay?
  /// The pieces in which the body of the request is read, as over a slow connection.
  public var read: Drip?
  /// What goes wrong besides; nil for a rule that only delays, or reads slowly.
  public var effect: Effect?

  public init(_ effect: Effect? = nil) { self.effect = effect }

  /// What goes wrong with a response.
  public enum Effect: Sendable, Equatable {
    /// A response in place of the normal one. The request has no effect.
    case response(FaultResponse)
    /// The connection is dropped.
    case drop(Moment)
    /// The body of the normal response is sent in pieces.
    case drip(Drip)
    /// The body of the normal response is cut off.
    case truncate(Cut)
    /// The normal response is malformed.
    case malform(Malformation)
  }
}

/// A response that a rule sends in place of the normal one.
public struct FaultResponse: Sendable, Equatable {
  /// 200...599.
  public var status: Int
  /// By default, a message that names the rule.
  public var content: Content?
  /// Header fields, except those that the server itself writes, such as Content-Length.
  public var fields: [String: String]

  public init(status: Int, content: Content? = nil, fields: [String: String] = [:]) {
    (self.status, self.content, self.fields) = (status, content, fields)
  }

  public enum Content: Sendable, Equatable {
    /// The body is like that of the API's errors: `{"status":N,"message":"…"}`.
    case message(String)
    case json(JSONValue)
    /// Its type is `text/plain; charset=utf-8`, unless the fields have a `Content-Type`.
    case text(String)
  }
}

// MARK: - Effects

extension FaultRule {
  /// Responds with this status and a body like that of the API's errors: `{"status":N,"message":"…"}`. The request has no
  /// effect.
  ///
  /// - Parameter fields: header fields of the response, such as `Retry-After`.
  public static func status(_ code: Int, message: String? = nil, fields: [String: String] = [:]) -> FaultRule {
    response(code, message.map(FaultResponse.Content.message), fields)
  }

  /// Responds with this status and this JSON. The request has no effect.
  public static func status(_ code: Int, body: JSONValue, fields: [String: String] = [:]) -> FaultRule {
    response(code, .json(body), fields)
  }

  /// Responds with this status and this text, such as the error page of a gateway. The request has no effect.
  ///
  /// - Parameter fields: header fields of the response. A `Content-Type` replaces `text/plain; charset=utf-8`.
  public static func status(_ code: Int, text: String, fields: [String: String] = [:]) -> FaultRule {
    response(code, .text(text), fields)
  }

  private static func response(
    _ code: Int, _ content: FaultResponse.Content?, _ fields: [String: String]
  ) -> FaultRule {
    FaultRule(.response(FaultResponse(status: code, content: content, fields: fields)))
  }

  /// Delays the normal response.
  public static func delay(_ duration: TestDuration) -> FaultRule { FaultRule().delayed(by: duration) }

  /// Delays the normal response by a time that is drawn from the rule's seed.
  public static func delay(_ range: ClosedRange<TestDuration>) -> FaultRule { FaultRule().delayed(range) }

  /// Drops the connection.
  ///
  /// Clients such as URLSession and curl may retry a request by themselves when a connection that they have used before
  /// is lost (RFC 9112 §9.3.1). A rule that fires only once may then go unnoticed.
  public static func drop(_ moment: Moment = .beforeHandling) -> FaultRule { FaultRule(.drop(moment)) }

  /// Sends the body of the normal response in pieces of `bytes` bytes, with a pause after each.
  public static func drip(bytes: Int, every pause: TestDuration) -> FaultRule {
    FaultRule(.drip(Drip(bytes: bytes, every: pause)))
  }

  /// Reads the body of the request in pieces of `bytes` bytes, with a pause after each.
  public static func read(bytes: Int, every pause: TestDuration) -> FaultRule {
    FaultRule().with { $0.read = Drip(bytes: bytes, every: pause) }
  }

  /// Sends the first bytes of the normal response's body, then closes the connection. A shorter body is sent whole.
  public static func truncate(after bytes: Int) -> FaultRule { FaultRule(.truncate(.bytes(bytes))) }

  /// Sends this share of the normal response's body, 0...1, then closes the connection.
  public static func truncate(share: Double) -> FaultRule { FaultRule(.truncate(.share(share))) }

  /// Sends the normal response in a malformed way.
  public static func malform(_ what: Malformation) -> FaultRule { FaultRule(.malform(what)) }
}

// MARK: - Conditions

extension FaultRule {
  /// Applies the rule only to requests with this method and path; see ``path``.
  public func on(_ method: String, _ path: String) -> FaultRule { with { ($0.method, $0.path) = (method, path) } }

  /// Applies the rule only to requests with this path and any method; see ``path``.
  public func on(_ path: String) -> FaultRule { with { $0.path = path } }

  /// Applies the rule only to requests with this parameter, in the query or in the body.
  public func with(parameter name: String, _ value: String) -> FaultRule { with(parameter: name, .equals(value)) }

  /// Applies the rule only to requests whose parameter meets a condition.
  public func with(parameter name: String, _ value: ValueCondition) -> FaultRule {
    meeting { $0.parameters[name] = value }
  }

  /// Applies the rule only to requests with this header field.
  public func with(field name: String, _ value: String) -> FaultRule { with(field: name, .equals(value)) }

  /// Applies the rule only to requests whose header field meets a condition.
  public func with(field name: String, _ value: ValueCondition) -> FaultRule { meeting { $0.fields[name] = value } }

  /// Applies the rule only to requests with a token of this user.
  public func of(user email: String) -> FaultRule { meeting { $0.user = email } }

  /// Applies the rule only to requests with this token.
  public func of(token: String) -> FaultRule { meeting { $0.token = token } }

  private func meeting(_ change: (inout RequestCondition) -> Void) -> FaultRule {
    with {
      var condition = condition ?? RequestCondition()
      change(&condition)
      $0.condition = condition
    }
  }

  /// Lets this many matching requests pass before the rule fires: `skip(2).times(1)` is the third.
  public func skip(_ count: Int) -> FaultRule { with { $0.skip = count } }

  /// Lets the rule fire at most `count` times.
  public func times(_ count: Int) -> FaultRule { with { $0.count = count } }

  /// Lets the rule fire for this share of the requests, 0...1; see ``share``.
  public func share(_ share: Double, seed: UInt64 = 0) -> FaultRule { with { ($0.share, $0.seed) = (share, seed) } }

  /// Adds a delay to the rule's effect.
  public func delayed(by duration: TestDuration) -> FaultRule { delayed(duration...duration) }

  /// Adds a delay, drawn from the rule's seed, to the rule's effect.
  public func delayed(_ range: ClosedRange<TestDuration>) -> FaultRule {
    with { $0.delay = Delay(from: range.lowerBound, to: range.upperBound) }
  }

  private func with(_ change: (inout FaultRule) -> Void) -> FaultRule {
    var rule = self
    change(&rule)
    return rule
  }
}

// MARK: - Parts of effects

extension FaultRule {
  /// A delay of up to a minute: one duration, or two between which it is drawn from the rule's seed.
  public struct Delay: Codable, Sendable, Equatable {
    public var from: TestDuration
    public var to: TestDuration

    public init(from: TestDuration, to: TestDuration) { (self.from, self.to) = (from, to) }

    public init(from decoder: any Decoder) throws {
      if let duration = try? TestDuration(from: decoder) {
        (from, to) = (duration, duration)
      } else if let members = try? decoder.container(keyedBy: CodingKeys.self) {
        from = try members.decode(TestDuration.self, forKey: .from)
        to = try members.decode(TestDuration.self, forKey: .to)
      } else {
        throw DecodingError.dataCorrupted(
          .init(
            codingPath: decoder.codingPath,
            debugDescription: #"must be a duration such as "2s", or {"from":"100ms","to":"2s"}"#))
      }
    }

    public func encode(to encoder: any Encoder) throws {
      if from == to { return try from.encode(to: encoder) }
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(from, forKey: .from)
      try members.encode(to, forKey: .to)
    }

    private enum CodingKeys: String, CodingKey { case from, to }
  }

  /// When a connection is dropped.
  public enum Moment: String, Codable, Sendable, CaseIterable {
    /// By a reset, before the request is handled. It has no effect.
    case beforeHandling = "before_handling"
    /// By a reset, after the request was handled and before anything is sent.
    case beforeAnswer = "before_answer"
    /// After the request was handled and half of the response's body was sent; if the body is empty, as `beforeAnswer`.
    case inBody = "in_body"
    /// As `inBody`, but by a reset, which may discard what the client has not read yet.
    case resetInBody = "reset_in_body"
    /// In order, after the request was handled and before anything is sent.
    case empty
  }

  /// Pieces of a body.
  public struct Drip: Codable, Sendable, Equatable {
    /// The size of a piece.
    public var bytes: Int
    /// The pause after each piece, up to a minute.
    public var every: TestDuration

    public init(bytes: Int, every: TestDuration) { (self.bytes, self.every) = (bytes, every) }
  }

  /// Where a response's body is cut off.
  public enum Cut: Sendable, Equatable {
    /// After so many bytes. A body that is not longer is sent whole, and the connection is kept.
    case bytes(Int)
    /// After this share of it, 0...1.
    case share(Double)
  }

  /// How a response is malformed. The connection is closed after each of these but `body`.
  public enum Malformation: String, Codable, Sendable, CaseIterable {
    /// A line in place of the status line that is not one.
    case statusLine = "status_line"
    /// A line among the header fields that is not one.
    case fieldLine = "field_line"
    /// A Content-Length that is one byte too small, so that the body lacks its last byte.
    case contentLength = "content_length"
    /// A Content-Length that is not a number.
    case lengthText = "length_text"
    /// A chunk whose size is not a number, after a chunk with the whole body.
    case chunk
    /// A body without its last byte, such as JSON without its last bracket. Its Content-Length is right.
    case body
  }
}

// MARK: - Lists

/// Rules to add, either all or none: the body of `POST /__admin/faults`, which also takes a rule by itself.
public struct NewFaults: Codable, Sendable {
  public var faults: [FaultRule]

  public init(_ faults: [FaultRule]) { self.faults = faults }
}

/// The ids of the rules that were added.
public struct FaultIDs: Codable, Sendable {
  public let ids: [Int]

  package init(_ ids: [Int]) { self.ids = ids }
}

/// A rule that was added, and what it has done. Their members stand in one object.
public struct ListedFault: Codable, Sendable, Equatable {
  public let rule: FaultRule
  /// Identifies the rule within its world.
  public let id: Int
  /// How many requests had its method and path, and met its condition.
  public package(set) var matched = 0
  /// For how many of them it fired.
  public package(set) var fired = 0
  /// How many times it can still fire; nil for no limit.
  public package(set) var remaining: Int?

  package init(_ rule: FaultRule, id: Int) { (self.rule, self.id, remaining) = (rule, id, rule.count) }

  public init(from decoder: any Decoder) throws {
    rule = try FaultRule(from: decoder)
    let members = try decoder.container(keyedBy: CodingKeys.self)
    id = try members.decode(Int.self, forKey: .id)
    matched = try members.decode(Int.self, forKey: .matched)
    fired = try members.decode(Int.self, forKey: .fired)
    remaining = try members.decodeIfPresent(Int.self, forKey: .remaining)
  }

  public func encode(to encoder: any Encoder) throws {
    try rule.encode(to: encoder)
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(id, forKey: .id)
    try members.encode(matched, forKey: .matched)
    try members.encode(fired, forKey: .fired)
    try members.encodeIfPresent(remaining, forKey: .remaining)
  }

  private enum CodingKeys: String, CodingKey { case id, matched, fired, remaining }
}

/// All rules of a world.
public struct FaultList: Codable, Sendable {
  public let faults: [ListedFault]
  /// The fault of the server's connections, with the time that it still lasts; nil if there is none.
  public let connections: ConnectionFault?

  package init(_ faults: [ListedFault], connections: ConnectionFault?) {
    (self.faults, self.connections) = (faults, connections)
  }
}
