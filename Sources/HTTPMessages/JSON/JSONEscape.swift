import Platform

/// A text as it stands inside a JSON string, for one that is written many times.
package struct JSONFragment {
  package let bytes: [UInt8]

  static let empty = JSONFragment(escaping: [])

  /// - Parameters:
  ///   - first: needs no escapes.
  ///   - last: as `first`.
  package init(_ first: StaticString = "", escaping text: ArraySlice<UInt8>, then last: StaticString = "") {
    var buffer = ByteBuffer(capacity: text.count + 64)
    buffer.append(first)
    text.withUnsafeBufferPointer { buffer.append(escaping: $0) }
    buffer.append(last)
    bytes = buffer.bytes
  }
}

extension ByteBuffer {
  /// Appends a text that needs no escapes as the key of a member. Makes room once for all of it.
  @inline(__always)
  mutating func append(jsonKey name: StaticString) {
    let count = name.utf8CodeUnitCount
    reserve(count + 3)
    start[end] = UInt8(ascii: "\"")
    name.withUTF8Buffer { text in
      if let source = text.baseAddress { (start + end + 1).update(from: source, count: count) }
    }
    start[end + count + 1] = UInt8(ascii: "\"")
    start[end + count + 2] = UInt8(ascii: ":")
    end += count + 3
  }

  /// Appends a text as it stands inside a JSON string. Copies runs of bytes that need no escape as a whole.
  mutating func append(escaping text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var index = 0
    while true {
      index = Self.endOfPlain(text, from: index)
      guard index < text.count else { break }
      let length = Self.length(at: index, in: text)
      if length == 0 {
        index += 1
        continue
      }
      append(UnsafeBufferPointer(rebasing: text[start..<index]))
      append(escaped: text[index], lineSeparator: length == 3 ? text[index + 2] : 0)
      index += length
      start = index
    }
    append(UnsafeBufferPointer(rebasing: text[start...]))
  }

  /// Where the first byte stands that may need an escape. Most texts have none, so eight are looked at at once.
  private static func endOfPlain(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    let bytes = UnsafeRawBufferPointer(text)
    var index = start
    while index + 8 <= bytes.count, !hasSpecial(bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) {
      index += 8
    }
    while index < text.count, !isSpecial(text[index]) { index += 1 }
    return index
  }

  /// Whether one of eight bytes is special, by the subtraction that borrows into the highest bit of a byte that is
  /// zero (Mycroft's test); two characters that differ in one bit are looked for together.
  private static func hasSpecial(_ eight: UInt64) -> Bool {
    let isControl = (eight &- eightTimes(0x20)) & ~eight
    let isQuoteOrAmpersand = (eight & eightTimes(0xfb)) ^ eightTimes(0x22)
    let isAngle = (eight & eightTimes(0xfd)) ^ eightTimes(0x3c)
    let isBackslash = eight ^ eightTimes(0x5c)
    let isSeparatorStart = eight ^ eightTimes(0xe2)
    let found =
      isControl | zeros(isQuoteOrAmpersand) | zeros(isAngle) | zeros(isBackslash) | zeros(isSeparatorStart)
    return found & eightTimes(0x80) != 0
  }

  private static func zeros(_ eight: UInt64) -> UInt64 { (eight &- eightTimes(1)) & ~eight }

  @inline(__always)
  private static func eightTimes(_ byte: UInt64) -> UInt64 { byte &* 0x0101_0101_0101_0101 }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"),
      0xe2:
      true
    default: false
    }
  }

  /// How many bytes the character at `index` has, if it must be escaped; 0 if not.
  private static func length(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> Int {
    guard text[index] == 0xe2 else { return 1 }
    // U+2028 and U+2029 are E2 80 A8 and E2 80 A9.
    let isSeparator =
      index + 2 < text.count && text[index + 1] == 0x80 && (text[index + 2] == 0xa8 || text[index + 2] == 0xa9)
    return isSeparator ? 3 : 0
  }

  private mutating func append(escaped byte: UInt8, lineSeparator: UInt8) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      append(UInt8(ascii: "\\"))
      append(byte)
    case 0x08: append("\\b")
    case 0x09: append("\\t")
    case 0x0a: append("\\n")
    case 0x0c: append("\\f")
    case 0x0d: append("\\r")
    case 0xe2: append(lineSeparator == 0xa8 ? "\\u2028" : "\\u2029")
    default:
      append("\\u00")
      append(Hex.digit(byte >> 4))
      append(Hex.digit(byte & 15))
    }
  }
}
