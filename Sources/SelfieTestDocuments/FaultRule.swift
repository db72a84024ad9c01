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
public struct FaultRule: Codable, Sendable, Equatable {
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
  /// How much later the response is sent. The request is handled at once, so it has its effect even if the client gives
  /// up waiting.
  public var delay: Delay?

  /// The pieces in which the body of the request is read, as over a slow connection.
  public var read: Drip?

  // At most one of `status`, `drop`, `drip`, `truncate` and `malform`. A rule with none of them only delays, or reads slowly.

  /// The status of a response in place of the normal one, 200...599. The request has no effect.
  public var status: Int?
  /// The message of the response with the status, whose body is like that of the API's errors. A response has at most one
  /// of `message`, `body` and `text`.
  public var message: String?
  /// The JSON of the response with the status.
  public var body: JSONValue?
  /// The text of the response with the status. Its type is `text/plain; charset=utf-8`, unless the fields have a
  /// `Content-Type`.
  public var text: String?
  /// Header fields of the response with the status, except those that the server itself writes, such as Content-Length.
  public var fields: [String: String]?
  /// When the connection is dropped.
  public var drop: Moment?
  /// The pieces in which the body of the normal response is sent.
  public var drip: Drip?
  /// Where the body of the normal response is cut off.
  public var truncate: Cut?
  /// How the normal response is malformed.
  public var malform: Malformation?

  public init() {}
}

// MARK: - Effects

extension FaultRule {
  /// Responds with this status and a body like that of the API's errors: `{"status":N,"message":"…"}`. The request has no
  /// effect.
  ///
  /// - Parameter fields: header fields of the response, such as `Retry-After`.
  public static func status(_ code: Int, message: String? = nil, fields: [String: String] = [:]) -> FaultRule {
    response(code, fields) { $0.message = message }
  }

  /// Responds with this status and this JSON. The request has no effect.
  public static func status(_ code: Int, body: JSONValue, fields: [String: String] = [:]) -> FaultRule {
    response(code, fields) { $0.body = body }
  }

  /// Responds with this status and this text, such as the error page of a gateway. The request has no effect.
  ///
  /// - Parameter fields: header fields of the response. A `Content-Type` replaces `text/plain; charset=utf-8`.
  public static func status(_ code: Int, text: String, fields: [String: String] = [:]) -> FaultRule {
    response(code, fields) { $0.text = text }
  }

  private static func response(
    _ code: Int, _ fields: [String: String], _ change: (inout FaultRule) -> Void
  ) -> FaultRule {
    FaultRule().with {
      ($0.status, $0.fields) = (code, fields.isEmpty ? nil : fields)
      change(&$0)
    }
  }

  /// Delays the normal response.
  public static func delay(_ duration: TestDuration) -> FaultRule { FaultRule().delayed(by: duration) }

  /// Delays the normal response by a time that is drawn from the rule's seed.
  public static func delay(_ range: ClosedRange<TestDuration>) -> FaultRule { FaultRule().delayed(range) }

  /// Drops the connection.
  ///
  /// Clients such as URLSession and curl may retry a request by themselves when a connection that they have used before
  /// is lost (RFC 9112 §9.3.1). A rule that fires only once may then go unnoticed.
  public static func drop(_ moment: Moment = .beforeHandling) -> FaultRule { FaultRule().with { $0.drop = moment } }

  /// Sends the body of the normal response in pieces of `bytes` bytes, with a pause after each.
  public static func drip(bytes: Int, every pause: TestDuration) -> FaultRule {
    FaultRule().with { $0.drip = Drip(bytes: bytes, every: pause) }
  }

  /// Reads the body of the request in pieces of `bytes` bytes, with a pause after each.
  public static func read(bytes: Int, every pause: TestDuration) -> FaultRule {
    FaultRule().with { $0.read = Drip(bytes: bytes, every: pause) }
  }

  /// Sends the first bytes of the normal response's body, then closes the connection. A shorter body is sent whole.
  public static func truncate(after bytes: Int) -> FaultRule {
    FaultRule().with { $0.truncate = Cut(bytes: bytes) }
  }

  /// Sends this share of the normal response's body, 0...1, then closes the connection.
  public static func truncate(share: Double) -> FaultRule { FaultRule().with { $0.truncate = Cut(share: share) } }

  /// Sends the normal response in a malformed way.
  public static func malform(_ what: Malformation) -> FaultRule { FaultRule().with { $0.malform = what } }
}

// MARK: - Conditions

extension FaultRule {
  /// Applies the rule only to requests with this method and path; see ``path``.
  public func on(_ method: String, _ path: String) -> FaultRule { with { ($0.method, $0.path) = (method, path) } }

  /// Applies the rule only to requests with this path and any method; see ``path``.
  public func on(_ path: String) -> FaultRule { with { $0.path = path } }

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

  /// Where a response's body is cut off: after a number of bytes, or after a share of it.
  public struct Cut: Codable, Sendable, Equatable {
    /// A body that is not longer is sent whole, and the connection is kept.
    public var bytes: Int?
    /// 0...1.
    public var share: Double?

    public init(bytes: Int? = nil, share: Double? = nil) { (self.bytes, self.share) = (bytes, share) }
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

/// A rule that was added, with what it has done.
public typealias ListedFault = Joined<FaultRule, FaultProgress>

/// What a rule has done.
public struct FaultProgress: Codable, Sendable, Equatable {
  /// Identifies the rule within its world.
  public let id: Int
  /// How many requests had its method and path.
  public package(set) var matched = 0
  /// For how many of them it fired.
  public package(set) var fired = 0
  /// How many times it can still fire; nil for no limit.
  public package(set) var remaining: Int?

  package init(id: Int, remaining: Int?) { (self.id, self.remaining) = (id, remaining) }
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

// MARK: - Connections

/// A fault of a server's new connections, in all worlds: the body of `POST /__admin/faults/connections`. It replaces the
/// one before. It ends after its time, and earlier when the world that began it, or the main world, is reset or ends, or
/// has its faults removed. Connections that are open go on.
public struct ConnectionFault: Codable, Sendable, Equatable {
  public var fault: Kind
  /// How long it lasts, up to a minute; 0 ends it.
  public var duration: TestDuration

  public init(_ fault: Kind, for duration: TestDuration) { (self.fault, self.duration) = (fault, duration) }

  enum CodingKeys: String, CodingKey { case fault, duration = "for" }

  /// What goes wrong.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The port refuses connections, as if no server ran.
    case refused
    // Of a server with TLS, whose certificate clients know as a root:
    /// The certificate has expired.
    case expired
    /// The certificate is for another name.
    case wrongName = "wrong_name"
    /// No authority has signed the certificate.
    case unknownRoot = "unknown_root"
  }
}
