/// The value of a request parameter, from a query, JSON, a form or a multipart body. `Parameters` has all values of a
/// request, and RequestParameters.swift in SelfieAPI converts them.
package indirect enum ParameterValue: Sendable, Equatable {
  case null
  case bool(Bool)
  /// A JSON number as it was written.
  case number(String)
  case string(String)
  /// A text of a multipart body that is not UTF-8. Only who needs it refuses it.
  case undecodable
  case array([ParameterValue])
  case object([String: ParameterValue])
  /// A file of a multipart body, without its bytes. The filename is the base name that the client sent, nil if that had only
  /// path separators; the content type is that of its first bytes, nil if they were not examined.
  case file(filename: String?, byteCount: Int, contentType: String? = nil)

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
    case .undecodable: "text that is not UTF-8"
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
