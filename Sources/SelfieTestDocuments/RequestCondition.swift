// What a filter of exchanges or a fault asks of a request besides its method and path.

/// What a request must have: all that is named.
public struct RequestCondition: Codable, Sendable, Equatable {
  /// Parameters of the query or the body, by their names. A path such as `image.content_type` leads into a parameter.
  public var parameters: [String: ValueCondition]
  /// Header fields. Secrets are compared as the journal shows them: masked.
  public var fields: [String: ValueCondition]
  /// The email of the user whose token the request has.
  public var user: String?
  /// The token that the request has.
  public var token: String?

  public init(
    parameters: [String: ValueCondition] = [:], fields: [String: ValueCondition] = [:], user: String? = nil,
    token: String? = nil
  ) {
    (self.parameters, self.fields, self.user, self.token) = (parameters, fields, user, token)
  }

  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    parameters = try members.decodeIfPresent([String: ValueCondition].self, forKey: .parameters) ?? [:]
    fields = try members.decodeIfPresent([String: ValueCondition].self, forKey: .fields) ?? [:]
    user = try members.decodeIfPresent(String.self, forKey: .user)
    token = try members.decodeIfPresent(String.self, forKey: .token)
  }

  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    if !parameters.isEmpty { try members.encode(parameters, forKey: .parameters) }
    if !fields.isEmpty { try members.encode(fields, forKey: .fields) }
    try members.encodeIfPresent(user, forKey: .user)
    try members.encodeIfPresent(token, forKey: .token)
  }

  private enum CodingKeys: String, CodingKey { case parameters, fields, user, token }
}

/// What the value of a parameter or a header field must be. In JSON, a text, a number or a boolean that it must equal;
/// `{"contains":"…"}`; or null if it must be absent.
public enum ValueCondition: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
  case equals(String)
  case contains(String)
  case absent

  public init(stringLiteral text: String) { self = .equals(text) }

  public init(from decoder: any Decoder) throws {
    switch try JSONValue(from: decoder) {
    case .null: self = .absent
    case .object(let members):
      guard members.count == 1, case .string(let text)? = members["contains"] else { throw Self.mismatch(at: decoder) }
      self = .contains(text)
    case let value:
      guard let text = value.text else { throw Self.mismatch(at: decoder) }
      self = .equals(text)
    }
  }

  private static func mismatch(at decoder: any Decoder) -> DecodingError {
    .dataCorrupted(
      .init(
        codingPath: decoder.codingPath,
        debugDescription:
          #"must be a string, a number, true or false, {"contains":"a text"}, or null if it must be absent"#))
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .equals(let text): try value.encode(text)
    case .contains(let text): try value.encode(["contains": text])
    case .absent: try value.encodeNil()
    }
  }
}
