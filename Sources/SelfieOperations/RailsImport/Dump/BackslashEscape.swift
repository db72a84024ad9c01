import Platform

/// The escapes that COPY's text format and E'…' have in common: `\n` and the like, octal and hexadecimal bytes.
struct BackslashEscape {
  /// The byte that the escape stands for.
  let byte: UInt8

  /// - Parameter text: the bytes between the backslash and `end`. Nil if there are none.
  init?(_ text: ArraySlice<UInt8>) {
    guard let first = text.first else { return nil }
    switch first {
    case UInt8(ascii: "b"): byte = 0x08
    case UInt8(ascii: "f"): byte = 0x0c
    case UInt8(ascii: "n"): byte = 0x0a
    case UInt8(ascii: "r"): byte = 0x0d
    case UInt8(ascii: "t"): byte = 0x09
    case UInt8(ascii: "v"): byte = 0x0b
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      // Three octal digits can exceed a byte. PostgreSQL keeps the lower bits.
      byte = text.reduce(0) { ($0 << 3) | ($1 & 7) }
    case UInt8(ascii: "x") where text.count > 1:
      byte = text.dropFirst().reduce(0) { ($0 << 4) | (Hex.value(of: $1) ?? 0) }
    default: byte = first
    }
  }

  /// The end of the escape whose text begins at `start`, after the backslash.
  static func end(of text: [UInt8], from start: Int) -> Int {
    guard start < text.count else { return text.count }
    switch text[start] {
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      return start + text[start...].prefix(3).prefix { (0x30...0x37).contains($0) }.count
    case UInt8(ascii: "x"):
      return start + 1 + text[(start + 1)...].prefix(2).prefix { Hex.value(of: $0) != nil }.count
    default: return start + 1
    }
  }
}
