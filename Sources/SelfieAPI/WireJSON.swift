/// Writes JSON as Rails 4.1 does: keys in the order of the calls, no white space, and `<`, `>`, `&`,
/// U+2028 and U+2029 escaped so that the text may stand in a page.
struct WireJSON {
  private(set) var bytes: [UInt8] = []
  /// Whether a comma must stand before the next value.
  private var needsComma = false

  init(capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  /// A JSON object.
  static func object(_ members: (inout WireJSON) -> Void) -> [UInt8] {
    var json = WireJSON()
    json.object(members)
    return json.bytes
  }

  mutating func object(_ members: (inout WireJSON) throws -> Void) rethrows {
    open(UInt8(ascii: "{"))
    try members(&self)
    close(UInt8(ascii: "}"))
  }

  mutating func array(_ elements: (inout WireJSON) throws -> Void) rethrows {
    open(UInt8(ascii: "["))
    try elements(&self)
    close(UInt8(ascii: "]"))
  }

  /// A member's key; `name` needs no escapes.
  mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    append(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A member's key, whatever it holds.
  mutating func key(text name: String) {
    string(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  mutating func member(_ name: StaticString, _ text: String?) {
    key(name)
    guard let text else { return null() }
    string(text)
  }

  mutating func member(_ name: StaticString, _ number: Int64) {
    key(name)
    integer(number)
  }

  /// A time in unix milliseconds, as `2026-11-20T22:24:16.641Z`.
  mutating func member(_ name: StaticString, time milliseconds: Int64) {
    key(name)
    separate()
    bytes.append(UInt8(ascii: "\""))
    Timestamp.append(milliseconds, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  mutating func null() {
    separate()
    append("null")
    needsComma = true
  }

  mutating func integer(_ number: Int64) {
    separate()
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    Decimal.append(number.magnitude, to: &bytes)
    needsComma = true
  }

  mutating func string(_ text: String) {
    var text = text
    text.withUTF8 { string(utf8: $0) }
  }

  /// A string of UTF-8 bytes.
  mutating func string(utf8 text: UnsafeBufferPointer<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    appendEscaped(text)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  /// Two texts that make one string.
  mutating func string(_ first: [UInt8], then second: UnsafeBufferPointer<UInt8>) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    first.withUnsafeBufferPointer { appendEscaped($0) }
    appendEscaped(second)
    bytes.append(UInt8(ascii: "\""))
    needsComma = true
  }

  private mutating func open(_ bracket: UInt8) {
    separate()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func separate() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { bytes.append(contentsOf: $0) }
  }

  /// Copies what needs no escape in stretches as long as they come.
  private mutating func appendEscaped(_ text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var index = 0
    while index < text.count {
      let length = JSONEscape.length(at: index, in: text)
      if length == 0 {
        index += 1
        continue
      }
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
      JSONEscape.append(text[index], lineSeparator: length == 3 ? text[index + 2] : 0, to: &bytes)
      index += length
      start = index
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
  }
}

/// Which characters are escaped, and how.
private enum JSONEscape {
  private static let isSpecial: [Bool] = (0...255).map { byte in
    byte < 0x20 || "\"\\<>&".utf8.contains(UInt8(byte)) || byte == 0xe2
  }

  /// How many bytes the character at `index` has, if it must be escaped; 0 if not.
  @inline(__always)
  static func length(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    let byte = text[index]
    guard isSpecial[Int(byte)] else { return 0 }
    guard byte == 0xe2 else { return 1 }
    // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
    let isSeparator =
      index + 2 < text.count && text[index + 1] == 0x80 && (text[index + 2] == 0xa8 || text[index + 2] == 0xa9)
    return isSeparator ? 3 : 0
  }

  static func append(_ byte: UInt8, lineSeparator: UInt8, to bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      bytes.append(UInt8(ascii: "\\"))
      bytes.append(byte)
    case 0x08: bytes += "\\b".utf8
    case 0x09: bytes += "\\t".utf8
    case 0x0a: bytes += "\\n".utf8
    case 0x0c: bytes += "\\f".utf8
    case 0x0d: bytes += "\\r".utf8
    case 0xe2: bytes += (lineSeparator == 0xa8 ? "\\u2028" : "\\u2029").utf8
    default:
      let digits: StaticString = "0123456789abcdef"
      bytes += "\\u00".utf8
      digits.withUTF8Buffer { digits in
        bytes.append(digits[Int(byte >> 4)])
        bytes.append(digits[Int(byte & 15)])
      }
    }
  }
}
