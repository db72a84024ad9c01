/// The value of a request parameter, from a query, JSON, a form or a multipart body. `Parameters` has all values of a
/// request.
package indirect enum ParameterValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A JSON number as it was written.
  case number(String)
  case string(String)
  case array([ParameterValue])
  case object([String: ParameterValue])
  case file(FilePart)

  /// Ruby's truthiness: null and false count as missing; an empty string, 0 and an empty object are present.
  package var isPresent: Bool {
    switch self {
    case .null, .bool(false): false
    default: true
    }
  }

  /// What it is, for a sentence such as "title is a list".
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a Boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "a list"
    case .object: "an object"
    case .file: "a file"
    }
  }

  /// The member of an object; nil if it has none of the name, or if this is no object.
  package subscript(member name: String) -> ParameterValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }
}

extension ParameterValue? {
  /// As `ParameterValue.isPresent`; an absent parameter is missing.
  package var isPresent: Bool {
    self?.isPresent ?? false
  }
}

/// A file of a multipart body, without its bytes.
package struct FilePart: Sendable, Equatable {
  /// The base name that the client sent; nil if that had only path separators.
  package let filename: String?
  package let byteCount: Int
  /// The media type of its first bytes; nil if they were not examined.
  package let contentType: String?

  package init(filename: String?, byteCount: Int, contentType: String? = nil) {
    self.filename = filename
    self.byteCount = byteCount
    self.contentType = contentType
  }
}
