import HTTPMessages

/// The text that a client sent in place of an encrypted password.
package struct PasswordText: Sendable {
  let bytes: [UInt8]

  /// The original decoded `password.to_s`, so a number or an object is a password that does not decrypt, and the printed
  /// form of a list is read up to the first padding. That is kept, since it gives nothing away. Only a list of one is
  /// refused: it is a string in the wrong shape.
  ///
  /// - Throws: 400 for a list of one, and for a file.
  package init(_ value: ParameterValue) throws {
    if case .array(let elements) = value, elements.count == 1 {
      throw APIError(.badRequest, "A password must be a string, not a list.")
    }
    if case .file = value { throw APIError(.badRequest, "A password must be a string, not a file.") }
    bytes = Array(Self.printed(value, isInside: false).utf8)
  }

  /// Ruby's `to_s` of the value, and `inspect` of what it contains.
  private static func printed(_ value: ParameterValue, isInside: Bool) -> String {
    switch value {
    case .null: isInside ? "nil" : ""
    case .bool(let value): value ? "true" : "false"
    case .number(let text): text
    case .string(let text): isInside ? inspect(text) : text
    case .array(let elements): "[" + elements.map { printed($0, isInside: true) }.joined(separator: ", ") + "]"
    case .object(let members):
      "{" + members.map { "\(inspect($0))=>\(printed($1, isInside: true))" }.joined(separator: ", ") + "}"
    case .file: ""
    }
  }

  private static func inspect(_ text: String) -> String {
    var out = "\""
    for character in text.unicodeScalars {
      switch character {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      case "\n": out += "\\n"
      case "\r": out += "\\r"
      case "\t": out += "\\t"
      default: out.unicodeScalars.append(character)
      }
    }
    return out + "\""
  }
}
