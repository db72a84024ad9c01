/// A request to the API and its response, as recorded in the journal. Secrets are masked. `Journal` in
/// SelfieTestControl keeps it, and `ExchangeFilter` selects it.
public struct Exchange: Codable, Sendable, Equatable, Identifiable {
  /// Counts up from 1 in each world, in the order of the responses; 0 while there is no response yet.
  public package(set) var id: Int64 = 0
  /// Counts up from 1 in each world, in the order in which the requests arrived.
  public package(set) var arrival: Int64 = 0
  /// When the request began, by its world's clock.
  public package(set) var time: TestInstant = 0
  /// How far its world's clock was ahead of the real time when the request began.
  public package(set) var aheadMilliseconds: Int64 = 0
  /// How long the response took, in real time, with two digits after the point.
  public package(set) var durationMilliseconds = 0.0
  /// The address of the client.
  public package(set) var peer = ""

  public package(set) var method = ""
  /// As it was sent, not decoded, without the query. A long path is cut off after 1024 bytes and ends in `…`.
  public package(set) var path = ""
  public package(set) var query: [String: JSONValue] = [:]
  /// Why the query could not be read.
  public package(set) var queryProblem: String?
  /// The header fields in the order in which they were sent.
  public package(set) var fields: [Field] = []
  public package(set) var body = Body()
  /// The parameters that the request's address asks for, each with its kind: `text`, `file` or `object`, and `, optional`
  /// if it need not be sent. Empty for an address without a route.
  public package(set) var needed: [Field] = []

  /// Nil when a fault dropped the connection before the response.
  public package(set) var status: Int?
  /// The response's field `X-Error`, which distinguishes errors of the same status: `expired_token`.
  public package(set) var error: String?
  /// The response's field `X-Error-Detail`: what was found in the request, and what is needed.
  public package(set) var detail: String?
  /// The member `message` of the response.
  public package(set) var message: String?
  /// Nil when a fault dropped the connection before it.
  public package(set) var response: Response?
  /// The id of the fault rule that fired, if one did.
  public package(set) var fault: Int?
  /// The state of the request's token when it arrived; nil if it had none.
  public package(set) var token: Token?

  package init() {}

  enum CodingKeys: String, CodingKey {
    case id, arrival, time, aheadMilliseconds = "ahead_milliseconds", durationMilliseconds = "duration_milliseconds",
      peer
    case method, path, query, queryProblem = "query_problem", fields, body, needed
    case status, error, detail, message, response, fault, token
  }

  /// A header field of a request or a response.
  public struct Field: Codable, Sendable, Equatable {
    public let name: String
    public let value: String

    package init(name: String, value: String) { (self.name, self.value) = (name, value) }
  }

  /// The body of a request.
  public struct Body: Codable, Sendable, Equatable {
    /// The parameters of a JSON, form or multipart body. A file is an object with `filename`, `byte_count` and
    /// `content_type`.
    public package(set) var parameters: [String: JSONValue] = [:]
    /// How many bytes of the body the application read.
    public package(set) var byteCount = 0
    /// Whether the application read the whole body; true without a body.
    public package(set) var complete = true
    /// Why parameters of the body are missing.
    public package(set) var problem: String?
    /// The text around the place at which the body could not be read.
    public package(set) var excerpt: Excerpt?

    package init() {}

    enum CodingKeys: String, CodingKey { case parameters, byteCount = "byte_count", complete, problem, excerpt }
  }

  /// A part of a body. Secrets are masked, control characters have visible signs, and `…` stands for what is left out.
  public struct Excerpt: Codable, Sendable, Equatable {
    /// Up to the mistake.
    public let before: String
    /// From the mistake on.
    public let after: String

    package init(before: String, after: String) { (self.before, self.after) = (before, after) }
  }

  public struct Response: Codable, Sendable, Equatable {
    /// The header fields, except for those that the server adds to each response, such as Content-Length and Date.
    public let fields: [Field]
    /// How many bytes the body has; nil for a long list, which is sent while it is read.
    public let byteCount: Int?
    /// The body if it is a text and no long list. A text of more than 4096 bytes is cut off, and ends in `…`.
    public let text: String?

    package init(fields: [Field], byteCount: Int?, text: String?) {
      (self.fields, self.byteCount, self.text) = (fields, byteCount, text)
    }

    enum CodingKeys: String, CodingKey { case fields, byteCount = "byte_count", text }
  }

  /// The state of a request's token when the request arrived. The token itself is a secret.
  public struct Token: Codable, Sendable, Equatable {
    public enum State: String, Codable, Sendable {
      case valid, expired
      /// Another token was given for it.
      case refreshed
      /// No user has it, or not any more.
      case unknown
    }

    public let state: State
    /// Whose token it is; nil if it is unknown.
    public let email: String?
    public let expiresAt: TestInstant?
    /// The SHA-256 of the token in hexadecimal digits, as in a `Seed.Token`: the tokens of a user's devices differ in it.
    public let digest: String

    package init(state: State, email: String?, expiresAt: TestInstant?, digest: String) {
      (self.state, self.email, self.expiresAt, self.digest) = (state, email, expiresAt, digest)
    }

    enum CodingKeys: String, CodingKey { case state, email, expiresAt = "expires_at", digest }
  }
}

extension Exchange {
  /// Whether the request is still being answered.
  public var isUnderWay: Bool { id == 0 }

  /// A parameter of the query, or else of the body, if it is a string, a number or a boolean. A path such as `user.name`
  /// or `image.byte_count` leads into a parameter.
  public subscript(parameter: String) -> String? { value(parameter)?.text }

  /// A parameter of the query, or else of the body.
  public func value(_ parameter: String) -> JSONValue? {
    JSONValue.find(parameter[...], in: query) ?? JSONValue.find(parameter[...], in: body.parameters)
  }

  /// The value of a header field, whose name is compared without regard to case. The values of several fields are joined
  /// with commas (RFC 9110 §5.2).
  public func field(_ name: String) -> String? {
    let name = name.lowercased()
    let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }
}

extension Exchange: CustomStringConvertible {
  /// `#3 POST /api/signup -> 400 "email - is invalid,"`.
  public var description: String {
    if isUnderWay { return "\(method) \(path), under way" }
    return "#\(id) \(method) \(path) -> " + (status.map { "\($0)" } ?? "no response")
      + (message.map { " \"\($0)\"" } ?? "")
      + (fault.map { " (fault \($0))" } ?? "")
  }
}
