import HTTPMessages

/// The text that a client sent in place of an encrypted password.
package struct PasswordText: Sendable {
  let bytes: [UInt8]

  /// The original decoded `password.to_s`, so a number or an object is a password that does not decrypt, and the printed
  /// form of a list is read up to the first padding. That is kept, since it gives nothing away. Only a list of one is
  /// refused: it is a string in the wrong shape.
  ///
  /// - Throws: 400 for a list of one, and for a file; 413 for a text that would take long to decrypt.
  package init(_ value: ParameterValue) throws {
    if case .array(let elements) = value, elements.count == 1 {
      throw APIError(.badRequest, "A password must be a string, not a list.")
    }
    if case .file = value { throw APIError(.badRequest, "A password must be a string, not a file.") }
    var printer = RubyPrinter()
    printer.print(value)
    bytes = printer.bytes
    guard bytes.count <= RequestLimits.maxTextBytes else {
      throw APIError(.contentTooLarge, "A password is longer than \(RequestLimits.maxTextBytes) bytes.")
    }
  }
}

/// Ruby's `to_s` of a value. What goes beyond the longest text is not printed.
private struct RubyPrinter {
  private(set) var bytes: [UInt8] = []

  private var isFull: Bool { bytes.count > RequestLimits.maxTextBytes }

  mutating func print(_ value: ParameterValue) {
    switch value {
    case .null, .file: break
    case .string(let text): append(text)
    case .bool, .number, .array, .object: inspect(value)
    }
  }

  /// `inspect` of a value.
  private mutating func inspect(_ value: ParameterValue) {
    switch value {
    case .null: append("nil")
    case .bool(let value): append(value ? "true" : "false")
    case .number(let text): append(text)
    case .string(let text): inspect(text)
    case .array(let elements):
      list("[", elements, "]") { $0.inspect($1) }
    case .object(let members):
      list("{", members, "}") {
        $0.inspect($1.key)
        $0.append("=>")
        $0.inspect($1.value)
      }
    case .file: break
    }
  }

  private mutating func list<Elements: Collection>(
    _ opening: String, _ elements: Elements, _ closing: String, _ print: (inout RubyPrinter, Elements.Element) -> Void
  ) {
    append(opening)
    var isFirst = true
    for element in elements {
      guard !isFull else { return }
      if !isFirst { append(", ") }
      isFirst = false
      print(&self, element)
    }
    append(closing)
  }

  private mutating func inspect(_ text: String) {
    append("\"")
    for byte in text.utf8.prefix(RequestLimits.maxTextBytes + 1) {
      switch byte {
      case UInt8(ascii: "\""): append("\\\"")
      case UInt8(ascii: "\\"): append("\\\\")
      case UInt8(ascii: "\n"): append("\\n")
      case UInt8(ascii: "\r"): append("\\r")
      case UInt8(ascii: "\t"): append("\\t")
      default: bytes.append(byte)
      }
    }
    append("\"")
  }

  private mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8.prefix(RequestLimits.maxTextBytes + 1))
  }
}
