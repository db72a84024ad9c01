/// Any JSON in a document. The parameters that a server reads are each a `ParameterValue` in HTTPMessages.
public indirect enum JSONValue: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
  case null
  case bool(Bool)
  /// As it was written.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  public init(stringLiteral text: String) { self = .string(text) }

  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let text = try? value.decode(String.self) {
      self = .string(text)
    } else if let isTrue = try? value.decode(Bool.self) {
      self = .bool(isTrue)
    } else if let number = try? value.decode(Int64.self) {
      self = .number("\(number)")
    } else if let number = try? value.decode(Double.self) {
      self = .number("\(number)")
    } else if let elements = try? value.decode([JSONValue].self) {
      self = .array(elements)
    } else {
      self = .object(try value.decode([String: JSONValue].self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .bool(let isTrue): try value.encode(isTrue)
    case .number(let text):
      if let number = Int64(text) {
        try value.encode(number)
      } else if let number = Double(text), number.isFinite {
        try value.encode(number)
      } else {
        try value.encode(text)
      }
    case .string(let text): try value.encode(text)
    case .array(let elements): try value.encode(elements)
    case .object(let members): try value.encode(members)
    }
  }
}

extension JSONValue {
  /// The text of a string, a number or a boolean.
  public var text: String? {
    switch self {
    case .string(let text), .number(let text): text
    case .bool(let isTrue): isTrue ? "true" : "false"
    case .null, .array, .object: nil
    }
  }

  /// The value at a path of members and elements, such as `user.name`, `photos.0.title` or `image.byte_count`. A member
  /// whose name contains dots takes precedence.
  static func find(_ path: Substring, in members: [String: JSONValue]) -> JSONValue? {
    if let value = members[String(path)] { return value }
    let first = path.prefix { $0 != "." }
    guard first.endIndex < path.endIndex, let inner = members[String(first)] else { return nil }
    return find(path[first.endIndex...].dropFirst(), in: inner.members)
  }

  /// Those of an object; the elements of an array by their numbers.
  private var members: [String: JSONValue] {
    switch self {
    case .object(let members): members
    case .array(let elements): Dictionary(uniqueKeysWithValues: elements.enumerated().map { ("\($0)", $1) })
    case .null, .bool, .number, .string: [:]
    }
  }
}
