import Platform

/// The errors of a record, in the words and the order of the original's ActiveModel. Its callers, such as
/// `Accounts`, decide what is checked.
package struct Validation {
  private var attributes: [(name: String, messages: [String])] = []

  var isValid: Bool { attributes.isEmpty }

  /// `attribute - message,` for each, by attribute in the order of their first failures.
  var message: String {
    attributes.map { attribute in attribute.messages.map { "\(attribute.name) - \($0)," }.joined() }.joined()
  }

  mutating func add(_ name: String, _ message: String) {
    if let index = attributes.firstIndex(where: { $0.name == name }) {
      attributes[index].messages.append(message)
    } else {
      attributes.append((name, [message]))
    }
  }

  /// `length: {within: range}` of a password's bytes; nil is one that did not decrypt.
  mutating func checkPassword(_ password: [UInt8]?, bytes range: ClosedRange<Int>) {
    let count = password?.count ?? 0
    if count < range.lowerBound { add("password", "is too short (minimum is \(range.lowerBound) characters)") }
    if count > range.upperBound { add("password", "is too long (maximum is \(range.upperBound) characters)") }
  }

  /// The limit of the original's columns, `character varying(255)`: characters, not bytes.
  mutating func checkLength(_ name: String, _ text: String?) {
    if let text, Self.isTooLong(text) { add(name, "is too long (maximum is \(Self.maxCharacters) characters)") }
  }

  // MARK: - Rules

  static let maxCharacters = 255

  /// Whether the original's columns would not hold a text.
  static func isTooLong(_ text: String) -> Bool { !text.unicodeScalars.dropFirst(maxCharacters).isEmpty }

  /// Why no column holds a text; nil if one does.
  package static func problem(ofText text: String) -> String? {
    if text.hasNUL { return "contains a NUL character" }
    return isTooLong(text) ? "has more than \(maxCharacters) characters" : nil
  }

  /// The original's `/\A[^@]+@([^@\.]+\.)+[^@\.]+\z/`: one @, something before it, and two or more
  /// labels after it, none of them empty.
  package static func isEmail(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard let at = bytes.firstIndex(of: UInt8(ascii: "@")), at > bytes.startIndex else { return false }
    var labelCount = 0
    var isInLabel = false
    for byte in bytes[at...].dropFirst() {
      if byte == UInt8(ascii: "@") || (byte == UInt8(ascii: ".") && !isInLabel) { return false }
      if byte != UInt8(ascii: "."), !isInLabel { labelCount += 1 }
      isInLabel = byte != UInt8(ascii: ".")
    }
    return isInLabel && labelCount >= 2
  }

  /// ActiveSupport's `blank?`: nothing but white space, Unicode's included.
  static func isBlank(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy(\.isWhiteSpace)
  }
}

extension Unicode.Scalar {
  /// The property White_Space of Unicode 16. The standard library looks it up in a table, which takes milliseconds for a
  /// long text.
  fileprivate var isWhiteSpace: Bool {
    switch value {
    case 0x09...0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000: true
    default: false
    }
  }
}
