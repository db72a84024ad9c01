import HTTPMessages
import SQLite
import SelfieAPI

/// A request to the API and its response, as recorded in the journal. Secrets are masked.
public struct Exchange: Sendable, Equatable, Identifiable {
  /// Counts up from 1 in each world, in the order of the responses.
  public internal(set) var id: Int64 = 0
  /// When the request began, by its world's clock, in unix milliseconds.
  public let time: Int64
  /// How long the response took, in real time.
  public let duration: Duration
  /// The address of the client.
  public let peer: String

  public let method: String
  /// As it was sent, not decoded, without the query. A long path is cut off after 1024 bytes and ends in `…`.
  public let path: String
  public let query: [String: ParameterValue]
  /// Why the query could not be read.
  public let queryProblem: String?
  /// The header fields in the order in which they were sent.
  public let fields: [RecordedField]
  public let body: RecordedBody

  /// Nil when a fault dropped the connection before the response.
  public let status: Int?
  /// The response's field `X-Error`, which distinguishes errors of the same status: `expired_token`.
  public let error: String?
  /// The member `message` of the response.
  public let message: String?
  /// Nil when a fault dropped the connection before it.
  public let response: RecordedResponse?
  /// The id of the fault rule that fired, if one did.
  public let fault: FaultRules.ID?
  /// The state of the request's token; nil if it had none.
  public internal(set) var token: RecordedToken?

  /// A parameter of the query, or else of the body, if it is a string, a number or a boolean. A path such as `user.name`
  /// or `image.byte_count` leads into a parameter.
  public subscript(parameter: String) -> String? {
    value(parameter)?.text
  }

  /// A parameter of the query, or else of the body.
  public func value(_ parameter: String) -> ParameterValue? {
    ParameterValue.find(parameter[...], in: query) ?? ParameterValue.find(parameter[...], in: body.parameters)
  }

  /// A file of a multipart body by the name of its part.
  public func file(_ name: String) -> FilePart? {
    guard case .file(let file)? = value(name) else { return nil }
    return file
  }

  /// The value of a header field, whose name is compared without regard to case. The values of several fields are joined
  /// with commas (RFC 9110 §5.2).
  public func field(_ name: String) -> String? {
    let name = name.lowercased()
    let values = fields.filter { $0.name.lowercased() == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// About how many bytes of memory the exchange takes.
  var weight: Int {
    fields.reduce(512 + path.utf8.count + (response?.weight ?? 0)) { $0 + $1.weight }
      + ParameterValue.weight(of: query) + ParameterValue.weight(of: body.parameters) + (message?.utf8.count ?? 0)
  }
}

/// A header field of a request or a response.
public struct RecordedField: Sendable, Equatable {
  public let name: String
  public let value: String

  /// About how many bytes of memory the field takes.
  var weight: Int { 64 + name.utf8.count + value.utf8.count }
}

/// The body of a request as recorded in the journal.
public struct RecordedBody: Sendable, Equatable {
  /// The parameters of a JSON, form or multipart body.
  public let parameters: [String: ParameterValue]
  /// How many bytes of the body the application read.
  public let byteCount: Int
  /// Whether the application read the whole body; true without a body.
  public let isComplete: Bool
  /// Why parameters of the body are missing.
  public let problem: String?

  static let none = RecordedBody(parameters: [:], byteCount: 0, isComplete: true, problem: nil)
}

extension Exchange: CustomStringConvertible {
  /// `#3 POST /api/signup -> 400 "email - is invalid,"`.
  public var description: String {
    "#\(id) \(method) \(path) -> " + (status.map { "\($0)" } ?? "no response") + (message.map { " \"\($0)\"" } ?? "")
      + (fault.map { " (fault \($0))" } ?? "")
  }
}

// The parameters of recorded requests.
extension ParameterValue {
  /// The text of a string, a number or a boolean.
  public var text: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let isTrue): isTrue ? "true" : "false"
    case .null, .array, .object, .file: nil
    }
  }

  /// The value at a path of members and elements, such as `user.name`, `photos.0.title` or `image.byte_count`.
  subscript(path: Substring) -> ParameterValue? {
    if path.isEmpty { return self }
    switch self {
    case .object(let members): return Self.find(path, in: members)
    case .array(let elements):
      let (first, rest) = Self.step(path)
      guard let index = Int(first), elements.indices.contains(index) else { return nil }
      return elements[index][rest]
    case .file(let file): return Self.find(path, in: file.members)
    case .null, .bool, .number, .string: return nil
    }
  }

  /// The value at a path. A member whose name contains dots takes precedence.
  static func find(_ path: Substring, in members: [String: ParameterValue]) -> ParameterValue? {
    if let value = members[String(path)] { return value }
    let (first, rest) = step(path)
    return rest.isEmpty ? nil : members[String(first)]?[rest]
  }

  private static func step(_ path: Substring) -> (first: Substring, rest: Substring) {
    let first = path.prefix { $0 != "." }
    return (first, path[first.endIndex...].dropFirst())
  }

  /// About how many bytes of memory the value takes.
  var weight: Int {
    switch self {
    case .null, .bool: 16
    case .number(let text), .string(let text): 32 + text.utf8.count
    case .array(let elements): elements.reduce(48) { $0 + 16 + $1.weight }
    case .object(let members): Self.weight(of: members)
    case .file(let file): 96 + (file.filename?.utf8.count ?? 0)
    }
  }

  static func weight(of members: [String: ParameterValue]) -> Int {
    members.reduce(64) { $0 + 48 + $1.key.utf8.count + $1.value.weight }
  }
}

/// The state of a request's token when the request arrived. The token itself is a secret.
public struct RecordedToken: Sendable, Equatable {
  public enum State: String, Sendable {
    case valid, expired
    /// Another token was given for it.
    case refreshed
    /// No user has it, or not any more.
    case unknown
  }

  public let state: State
  /// Whose token it is; nil if it is unknown.
  public let email: String?
  /// In unix milliseconds.
  public let expiresAt: Int64?
}

extension RecordedToken {
  /// - Parameter now: by the world's clock.
  /// - Returns: nil if the request has no token.
  init?(of request: Request, in database: Database, now: Int64) {
    guard case .token(let letters)? = request.head.fields[.authorization].flatMap(Authorization.parse) else {
      return nil
    }
    let digest = Token.digest(of: Array(letters))
    let found = try? database.read { connection in
      try connection.first(TokenStore.token(digest: digest), as: Token.self).map { token in
        (token, try connection.first(UserStore.user(id: token.userID), as: User.self)?.email)
      }
    }
    email = found?.1
    expiresAt = found?.0.expiresAt
    state =
      switch found?.0 {
      case nil: .unknown
      case let token? where token.refreshedAt != nil: .refreshed
      case let token?: token.isLive(at: now) ? .valid : .expired
      }
  }
}
