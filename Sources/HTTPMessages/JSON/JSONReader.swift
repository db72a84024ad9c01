import Platform

/// A strict JSON parser (RFC 8259). Request bodies are small, so it takes the whole text at once. JSONDecoding.swift
/// decodes values of Swift types from the result.
package struct JSONReader {
  /// Nested arrays and objects; the json gem's `max_nesting`.
  package static let maxDepth = 100
  /// Characters of one number. No client sends more than twenty, and converting long ones is slow.
  package static let maxNumberLength = 1_024
  /// Values of a text in all. Each takes far more memory than the two bytes that it can be written in. A seed or an export
  /// of fifty thousand photos has half a million.
  package static let maxValues = 2_000_000
  /// Values of a request's parameters. Clients send three; freeing so many takes less than a millisecond.
  package static let maxParameterValues = 4_096
  /// Bytes of a member's name that is not ASCII, in a document that is no request of a stranger.
  private static let maxUnicodeNameBytes = 64

  /// The parameters of a JSON body: the members of an object, or any other value under the name `_json`, as in Rails. An
  /// empty body has none.
  ///
  /// Throws for what is not JSON, and for more than `maxParameterValues` values.
  package static func parameters(fromJSONBody bytes: [UInt8]) throws(ParameterError) -> [String: ParameterValue] {
    guard !bytes.isEmpty else { return [:] }
    var parser = JSONReader(
      bytes: bytes, refusesEqualMembers: false, maxValues: maxParameterValues, maxUnicodeNameBytes: 0)
    let value: ParameterValue
    do throws(ParameterError) {
      value = try parser.document()
    } catch {
      let place = min(parser.index, bytes.count)
      throw ParameterError(message: error.message, detail: detail(of: error, at: place, in: bytes), offset: place)
    }
    guard case .object(let members) = value else { return ["_json": value] }
    return members
  }

  /// What a body has where it cannot be read, for the person who writes the client; nil if nothing tells.
  private static func detail(of error: ParameterError, at place: Int, in bytes: [UInt8]) -> String? {
    if bytes[place...].prefix(3).hasCurlyQuote {
      return "a curly quotation mark stands at byte \(place); JSON has straight ones (\")"
    }
    if let likeness = likeness(of: bytes) { return "the body looks like \(likeness); its Content-Type is JSON's" }
    if let detail = error.detail { return detail }
    return place == bytes.count
      ? "the body ends at byte \(place), before its JSON does; if more was sent, Content-Length is too small" : nil
  }

  /// The type that a body seems to have although the client has named JSON; nil if none can be told.
  private static func likeness(of bytes: [UInt8]) -> String? {
    if bytes.starts(with: "--".utf8) { return "multipart/form-data" }
    if bytes.starts(with: "[object".utf8) { return "an object that JavaScript has printed, without JSON.stringify" }
    if bytes.starts(with: [0x1f, 0x8b]) { return "gzip" }
    if ["%7b", "%22", "%5b"].contains(where: bytes.prefix(3)[...].equalsIgnoringCase) { return "percent-encoded JSON" }
    return bytes.first?.isASCIILetter == true && bytes.contains(UInt8(ascii: "="))
      ? "application/x-www-form-urlencoded" : nil
  }

  /// Reads one JSON value of any type, with white space around it.
  ///
  /// Throws for anything else. The error has the byte offset (from 0) and what was expected there.
  ///
  /// - Parameter refusesEqualMembers: if false, the last of two equal members of an object wins. RFC 8259 §4 allows both.
  package static func read(
    _ bytes: [UInt8], refusesEqualMembers: Bool = false
  ) throws(ParameterError) -> ParameterValue {
    var parser = JSONReader(
      bytes: bytes, refusesEqualMembers: refusesEqualMembers, maxValues: maxValues,
      maxUnicodeNameBytes: maxUnicodeNameBytes)
    return try parser.document()
  }

  private let bytes: [UInt8]
  private let refusesEqualMembers: Bool
  private let maxValues: Int
  private let maxUnicodeNameBytes: Int
  private var index = 0
  private var valueCount = 0

  /// How to avoid a mistake of the iOS clients, which put text between quotes without escaping it.
  private static let textHint =
    "If a name or another text contains a quotation mark or a backslash, write it as \\\" or \\\\, or leave it out."

  private mutating func document() throws(ParameterError) -> ParameterValue {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      throw failure(expected: "a JSON value, without a byte order mark before it")
    }
    // A byte order mark, or half of a first letter.
    let start = bytes.prefix(2)
    if start.contains(0) || start.elementsEqual([0xFF, 0xFE]) || start.elementsEqual([0xFE, 0xFF]) {
      throw failure(expected: "a JSON value in UTF-8, which is not UTF-16")
    }
    let value = try value(depth: 0)
    guard index == bytes.count else {
      throw failure(expected: "the end of the JSON", hint: Self.textHint)
    }
    return value
  }

  /// A value and the white space around it. `depth` counts the arrays and objects around it.
  private mutating func value(depth: Int) throws(ParameterError) -> ParameterValue {
    skipWhiteSpace()
    valueCount += 1
    guard valueCount <= maxValues else {
      throw failure(expected: "at most \(maxValues) values in all")
    }
    let value: ParameterValue
    switch current {
    case UInt8(ascii: "{"): value = .object(try members(depth: depth + 1))
    case UInt8(ascii: "["): value = .array(try elements(depth: depth + 1))
    case UInt8.quote: value = .string(try string())
    case UInt8(ascii: "t") where skip(word: "true"): value = .bool(true)
    case UInt8(ascii: "f") where skip(word: "false"): value = .bool(false)
    case UInt8(ascii: "n") where skip(word: "null"): value = .null
    case let byte? where byte == UInt8(ascii: "-") || byte.isASCIIDigit: value = .number(try number())
    default:
      throw failure(
        expected: "a JSON value", hint: depth > 0 ? Self.textHint : nil, detail: foreignSyntax ?? foreignWord)
    }
    skipWhiteSpace()
    return value
  }

  /// A comment or a single quotation mark, which JSON does not have; nil if the next byte begins neither.
  private var foreignSyntax: String? {
    switch current {
    case UInt8(ascii: "/"): "a comment begins at byte \(index); JSON has none"
    case UInt8(ascii: "'"): "a single quotation mark stands at byte \(index); JSON has double ones (\")"
    default: nil
    }
  }

  /// A word where JSON has a value; nil if none begins here.
  private var foreignWord: String? {
    guard current?.isASCIILetter == true else { return nil }
    let word = String(decoding: bytes[index...].prefix(10).prefix(while: \.isASCIILetter), as: UTF8.self)
    return ["true", "false", "null", "none", "nil", "undefined", "nan"].contains(word.lowercased())
      ? "\(word) stands at byte \(index); JSON has true, false and null"
      : "a text without quotation marks begins at byte \(index); JSON has double ones (\")"
  }

  private mutating func members(depth: Int) throws(ParameterError) -> [String: ParameterValue] {
    try checkDepth(depth)
    var members: [String: ParameterValue] = [:]
    index += 1
    skipWhiteSpace()
    if skip("}") { return members }
    repeat {
      skipWhiteSpace()
      guard current == .quote else {
        throw failure(expected: "a member name in double quotes", hint: Self.textHint, detail: foreignSyntax)
      }
      let start = index
      let name = String(parameterName: Array(try string().utf8)[...], maxUnicodeBytes: maxUnicodeNameBytes)
      skipWhiteSpace()
      guard skip(":") else {
        throw failure(expected: "\":\" after a member name", hint: Self.textHint)
      }
      guard members.updateValue(try value(depth: depth), forKey: name) == nil || !refusesEqualMembers else {
        throw ParameterError(
          message: "The member at byte \(start) of the JSON is given twice: \(String(name.unicodeScalars.prefix(100)))."
        )
      }
    } while skip(",")
    guard skip("}") else {
      throw failure(expected: "\",\" or \"}\" after a member of an object", hint: Self.textHint)
    }
    return members
  }

  private mutating func elements(depth: Int) throws(ParameterError) -> [ParameterValue] {
    try checkDepth(depth)
    var elements: [ParameterValue] = []
    index += 1
    skipWhiteSpace()
    if skip("]") { return elements }
    repeat {
      elements.append(try value(depth: depth))
    } while skip(",")
    guard skip("]") else {
      throw failure(expected: "\",\" or \"]\" after an element of an array", hint: Self.textHint)
    }
    return elements
  }

  private mutating func string() throws(ParameterError) -> String {
    let start = index
    var text: [UInt8] = []
    index += 1
    while true {
      let plain = bytes[index...].prefix { $0 >= 0x20 && $0 != .quote && $0 != .backslash }
      text.append(contentsOf: plain)
      index = plain.endIndex
      switch current {
      case UInt8.quote:
        index += 1
        guard let string = String(utf8: text) else {
          index = start
          throw ParameterError(
            message: "The request body is not valid JSON: the text at byte \(start) is not valid UTF-8. "
              + "Send JSON as UTF-8.")
        }
        return string
      case UInt8.backslash:
        try appendEscape(to: &text)
      case nil:
        throw failure(expected: "a closing \" for the text that begins at byte \(start)")
      default:
        throw failure(
          expected: "an escape such as \\n or \\u0009 instead of a control character in a text",
          hint: "A line break or a tab in a text must be escaped, or left out.")
      }
    }
  }

  /// Appends the UTF-8 of the escape at `index`.
  private mutating func appendEscape(to text: inout [UInt8]) throws(ParameterError) {
    index += 1
    let byte: UInt8
    switch current {
    case let escaped? where escaped == .quote || escaped == .backslash || escaped == UInt8(ascii: "/"): byte = escaped
    case UInt8(ascii: "u"):
      index += 1
      return text.append(contentsOf: UTF8.encode(try unicodeEscape()) ?? UTF8.encodedReplacementCharacter)
    case UInt8(ascii: "b"): byte = 0x08
    case UInt8(ascii: "f"): byte = 0x0C
    case UInt8(ascii: "n"): byte = 0x0A
    case UInt8(ascii: "r"): byte = 0x0D
    case UInt8(ascii: "t"): byte = 0x09
    default: throw failure(expected: "one of \" \\ / b f n r t u after a backslash", hint: Self.textHint)
    }
    index += 1
    text.append(byte)
  }

  /// Reads what follows `\u`. A low surrogate must follow a high one (RFC 8259 §7).
  private mutating func unicodeEscape() throws(ParameterError) -> Unicode.Scalar {
    var code = try fourHexDigits()
    if code >= 0xD800 && code <= 0xDBFF {
      guard skip("\\"), skip("u") else { throw failure(expected: "\\u and a low surrogate after a high one") }
      let low = try fourHexDigits()
      guard low >= 0xDC00 && low <= 0xDFFF else {
        throw failure(expected: "a low surrogate (\\uDC00 to \\uDFFF) after a high one, before this place")
      }
      code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
    }
    guard let scalar = Unicode.Scalar(code) else {
      throw failure(expected: "a high surrogate before a low one, before this place")
    }
    return scalar
  }

  private mutating func fourHexDigits() throws(ParameterError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = current.flatMap(Hex.value(of:)) else {
        throw failure(expected: "four hexadecimal digits after \\u")
      }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    return code
  }

  /// number = [ minus ] int [ frac ] [ exp ] (RFC 8259, section 6)
  private mutating func number() throws(ParameterError) -> String {
    let start = index
    _ = skip("-")
    if !skip("0") { try digits() }
    if skip(".") { try digits() }
    if skip("e") || skip("E") {
      if !skip("+") { _ = skip("-") }
      try digits()
    }
    guard index - start <= Self.maxNumberLength else {
      throw failure(expected: "a number of at most \(Self.maxNumberLength) characters")
    }
    return String(decoding: bytes[start..<index], as: UTF8.self)
  }

  private mutating func digits() throws(ParameterError) {
    let digits = bytes[index...].prefix(while: \.isASCIIDigit)
    guard !digits.isEmpty else { throw failure(expected: "a digit") }
    index = digits.endIndex
  }

  /// Reads `word` if it comes next; false otherwise.
  private mutating func skip(word: StaticString) -> Bool {
    guard word.withUTF8Buffer({ bytes[index...].starts(with: $0) }) else { return false }
    index += word.utf8CodeUnitCount
    return true
  }

  private func checkDepth(_ depth: Int) throws(ParameterError) {
    guard depth <= Self.maxDepth else {
      throw failure(expected: "at most \(Self.maxDepth) arrays and objects within each other")
    }
  }

  private var current: UInt8? {
    index < bytes.count ? bytes[index] : nil
  }

  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard current == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }

  private mutating func skipWhiteSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { index += 1 }
  }

  /// - Parameter detail: what the body has there, for the person who writes the client.
  private func failure(expected: String, hint: String? = nil, detail: String? = nil) -> ParameterError {
    let found =
      switch current {
      case nil: "the end of the body"
      case UInt8.quote?: "a quotation mark"
      case let byte? where byte > 0x20 && byte < 0x7F: "\"\(Unicode.Scalar(byte))\""
      case let byte?: "the byte 0x" + String(byte, radix: 16, uppercase: true)
      }
    let message = "The request body is not valid JSON: at byte \(index), expected \(expected), found \(found)."
    return ParameterError(message: hint.map { message + " " + $0 } ?? message, detail: detail)
  }
}
