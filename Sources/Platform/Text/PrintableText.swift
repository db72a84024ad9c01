// Escapes texts for logs, terminals and JSON. `HumanValue` formats numbers and times.
extension String {
  /// This text without the invisible byte order mark that some editors of Windows put before it.
  package var withoutMark: String { unicodeScalars.first == "\u{feff}" ? String(unicodeScalars.dropFirst()) : self }

  /// This text for a line of a log or of a terminal: what could end the line, control the terminal or change the order
  /// of letters is escaped, as in `\u{1b}`.
  package var printable: String {
    escaping(\.isUnprintable) { $0 == "\n" ? "\\n" : "\\u{\(String($0.value, radix: 16))}" }
  }

  fileprivate func escaping(
    _ isEscaped: (Unicode.Scalar) -> Bool, _ escape: (Unicode.Scalar) -> String
  ) -> String {
    guard unicodeScalars.contains(where: isEscaped) else { return self }
    return unicodeScalars.map { isEscaped($0) ? escape($0) : String($0) }.joined()
  }

  /// The printable text of bytes that may not be UTF-8. Those that are not are escaped, as in `\xff`.
  package init(printable bytes: [UInt8]) {
    if let text = String(validating: bytes, as: UTF8.self) {
      self = text.printable
      return
    }
    self = ""
    var rest = bytes[...]
    while !rest.isEmpty {
      let character = (1...4).lazy.filter { $0 <= rest.count }
        .compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      if let character {
        self += character.printable
        rest = rest.dropFirst(character.utf8.count)
      } else {
        self += "\\x" + String(decoding: Hex.encode(rest.prefix(1)), as: UTF8.self)
        rest = rest.dropFirst()
      }
    }
  }
}

extension [UInt8] {
  /// This JSON with texts that cannot control a terminal. Such characters are in its texts only, so `\u009b` means the
  /// same.
  package var printableJSON: [UInt8] {
    let escaped = String(decoding: self, as: UTF8.self).escaping(\.isUnprintableInJSON) { scalar in
      let digits = String(scalar.value, radix: 16)
      return "\\u\(String(repeating: "0", count: Swift.max(0, 4 - digits.count)))\(digits)"
    }
    return Array(escaped.utf8)
  }
}

extension Unicode.Scalar {
  /// Line feeds and tabs stand between the values.
  fileprivate var isUnprintableInJSON: Bool { value >= 0x7f && isUnprintable }

  fileprivate var isUnprintable: Bool {
    // Nearly all text is ASCII.
    if (0x20...0x7e).contains(value) { return false }
    return switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: properties.isBidiControl
    }
  }
}
