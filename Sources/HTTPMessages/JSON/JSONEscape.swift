import Platform

// The escapes of strings. JSONWriter.swift has the rest of the syntax.
extension JSONWriter {
  /// A text as it stands inside a JSON string, for one that is written many times.
  ///
  /// - Parameters:
  ///   - first: needs no escapes.
  ///   - last: as `first`.
  package static func fragment(
    _ first: StaticString = "", escaping text: ArraySlice<UInt8>, then last: StaticString = ""
  ) -> [UInt8] {
    var buffer = ByteBuffer(capacity: text.count + 64)
    buffer.append(first)
    text.withUnsafeBufferPointer { buffer.append(escaping: $0) }
    buffer.append(last)
    return buffer.bytes
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
    let end = Self.endOfPlain(text, from: 0)
    append(UnsafeBufferPointer(rebasing: text[..<end]))
    if end < text.count { append(escaping: text, from: end) }
  }

  @inline(never)
  private mutating func append(escaping text: UnsafeBufferPointer<UInt8>, from start: Int) {
    var index = start
    Self.escapes.withUnsafeBufferPointer { escapes in
      while index < text.count {
        append(escaping: text, from: &index, by: escapes)
        let start = index
        index = Self.endOfPlain(text, from: start)
        append(UnsafeBufferPointer(rebasing: text[start..<index]))
      }
    }
  }

  /// Appends the next bytes by a table, which costs all of them the same: up to 32, since escapes rarely stand alone.
  /// Writes eight bytes for each, of which the next one overwrites those that are too many.
  @inline(__always)
  private mutating func append(
    escaping text: UnsafeBufferPointer<UInt8>, from index: inout Int, by escapes: UnsafeBufferPointer<UInt64>
  ) {
    let last = min(index + 32, text.count)
    reserve(32 * 8)
    var next = UnsafeMutableRawPointer(start + end)
    while index < last {
      let byte = text[index]
      var escape = escapes[Int(byte)]
      if byte == 0xe2, let separator = Self.lineSeparator(at: index, in: text) {
        escape = separator
        index += 2
      }
      next.storeBytes(of: escape.littleEndian, as: UInt64.self)
      next += Int(escape >> 56)
      index += 1
    }
    end = next - UnsafeMutableRawPointer(start)
  }

  /// The escape of each byte: up to six bytes, the first one lowest. The highest byte is their number.
  private static let escapes: [UInt64] = (0...255).map { (byte: UInt8) in
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): escape([UInt8(ascii: "\\"), byte])
    case 0x08: escape("\\b".utf8)
    case 0x09: escape("\\t".utf8)
    case 0x0a: escape("\\n".utf8)
    case 0x0c: escape("\\f".utf8)
    case 0x0d: escape("\\r".utf8)
    case 0..<0x20, UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "&"): escape("\\u00".utf8 + Hex.encode([byte]))
    default: escape([byte])
    }
  }

  private static func escape(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reversed().reduce(UInt64(bytes.count) << UInt64(56 - 8 * bytes.count)) { $0 << 8 | UInt64($1) }
  }

  private static let (lineSeparator, paragraphSeparator) = (escape("\\u2028".utf8), escape("\\u2029".utf8))

  /// The escape of U+2028 or U+2029, which are E2 80 A8 and E2 80 A9; nil for another character.
  private static func lineSeparator(at index: Int, in text: UnsafeBufferPointer<UInt8>) -> UInt64? {
    guard index + 2 < text.count, text[index + 1] == 0x80 else { return nil }
    return text[index + 2] == 0xa8 ? lineSeparator : text[index + 2] == 0xa9 ? paragraphSeparator : nil
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
}
