import Platform

/// Names in quotes and string constants, which may go over several lines.
extension SQLScanner {
  /// The text up to the next `quote`. Two of them stand for one in the text.
  mutating func quoted(by quote: UInt8, _ what: String) throws -> [UInt8] {
    var text: [UInt8] = []
    while true {
      let byte = try byteOfText(what)
      if byte == quote {
        guard self.byte(0) == quote else { return text }
        index += 1
      }
      try append(byte, to: &text, what)
    }
  }

  mutating func string(hasEscapes: Bool, _ keepsText: Bool) throws -> [UInt8] {
    var text: [UInt8] = []
    while true {
      let byte = try byteOfText("string")
      if byte == UInt8(ascii: "'") {
        guard self.byte(0) == byte else { return text }
        index += 1
      } else if hasEscapes && byte == UInt8(ascii: "\\") {
        let escaped = try escape()
        if keepsText { for byte in escaped { try append(byte, to: &text, "string") } }
        continue
      }
      if keepsText { try append(byte, to: &text, "string") }
    }
  }

  /// Reads an escape in E'…' after its backslash, and returns the bytes that it stands for.
  private mutating func escape() throws -> [UInt8] {
    let byte = try byteOfText("string")
    let hexDigits =
      switch byte {
      case UInt8(ascii: "u"): 4
      case UInt8(ascii: "U"): 8
      default: 0
      }
    guard hexDigits > 0 else {
      // Unlike in COPY, \v has no meaning here, and a line feed may follow, after which the next line is read.
      guard byte != UInt8(ascii: "v"), byte != UInt8(ascii: "\n") else { return [byte] }
      let start = index - 1
      let end = BackslashEscape.end(of: line, from: start)
      guard let escape = BackslashEscape(line[start..<end]) else { return [byte] }
      index = end
      return [escape.byte]
    }
    let digits = line[index...].prefix(hexDigits)
    guard digits.count == hexDigits, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16),
      let scalar = Unicode.Scalar(code)
    else {
      throw DumpProblem(
        line: lineNumber, "\\u and \\U in a string need 4 and 8 hexadecimal digits.", endsReading: true)
    }
    index += hexDigits
    return Array(String(Character(scalar)).utf8)
  }

  /// The next byte of a text that may have several lines.
  private mutating func byteOfText(_ what: String) throws -> UInt8 {
    if let byte = byte(0) {
      index += 1
      return byte
    }
    guard try advanceLine() else { throw Self.unended(what, line: tokenLine) }
    return UInt8(ascii: "\n")
  }

  private func append(_ byte: UInt8, to text: inout [UInt8], _ what: String) throws {
    guard text.count < Self.maxTokenBytes else {
      throw DumpProblem(line: tokenLine, "This \(what) has more than \(Self.maxTokenBytes) bytes.", endsReading: true)
    }
    text.append(byte)
  }

  /// `$tag$`, if one begins here.
  func dollarTag() -> [UInt8]? {
    let rest = line[(index + 1)...]
    guard let end = rest.firstIndex(of: UInt8(ascii: "$")) else { return nil }
    let name = rest[..<end]
    guard name.allSatisfy({ Self.isLetter($0) || $0.isASCIIDigit }), name.first?.isASCIIDigit != true else {
      return nil
    }
    return Array(line[index...end])
  }

  mutating func skipDollarQuoted(_ tag: [UInt8]) throws {
    index += tag.count
    while true {
      while let dollar = line[index...].firstIndex(of: UInt8(ascii: "$")) {
        index = dollar
        if line[dollar...].starts(with: tag) {
          index += tag.count
          return
        }
        index += 1
      }
      guard try advanceLine() else { throw Self.unended("string", line: tokenLine) }
    }
  }
}
