extension String {
  /// This text for a line of a log or of a terminal: what could end the line, control the terminal or change the order
  /// of letters is escaped, as in `\u{1b}`.
  public var printable: String {
    guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      if scalar.isUnprintable {
        text += scalar == "\n" ? "\\n" : "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The same of bytes that may not be UTF-8. Those that are not are escaped, as in `\xff`.
  package init(printable bytes: [UInt8]) {
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
    let text = String(decoding: self, as: UTF8.self)
    guard text.unicodeScalars.contains(where: \.isUnprintableInJSON) else { return self }
    var escaped: [UInt8] = []
    for scalar in text.unicodeScalars {
      guard scalar.isUnprintableInJSON else {
        escaped += String(scalar).utf8
        continue
      }
      let digits = String(scalar.value, radix: 16)
      escaped += "\\u\(String(repeating: "0", count: Swift.max(0, 4 - digits.count)))\(digits)".utf8
    }
    return escaped
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
