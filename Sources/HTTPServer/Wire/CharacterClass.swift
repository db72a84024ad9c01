import Platform

// The character classes of HTTP's grammar, in a lookup table. Tests for letters, digits and white space are in ASCII.swift
// in Platform.
extension UInt8 {
  /// `tchar` (RFC 9110 §5.6.2).
  @inline(__always)
  var isToken: Bool { Self.table[Int(self)] & Self.token != 0 }

  /// Characters allowed in a request target before its query: those of RFC 3986 except for `#`, and those that browsers do
  /// not escape there (the path percent-encode set of WHATWG's URL, in which `^` is new).
  @inline(__always)
  var isTarget: Bool { Self.table[Int(self)] & Self.target != 0 }

  /// Characters allowed in the query of a request target: all but those of WHATWG's query percent-encode set.
  @inline(__always)
  var isQuery: Bool { Self.table[Int(self)] & Self.query != 0 }

  /// `field-vchar`, space and tab (RFC 9110 §5.5).
  @inline(__always)
  var isFieldValue: Bool { Self.table[Int(self)] & Self.fieldValue != 0 }

  /// Characters allowed unescaped in a host name or an IPv4 address: `unreserved` and `sub-delims` (RFC 3986 §3.2.2).
  @inline(__always)
  var isHostName: Bool { Self.table[Int(self)] & Self.hostName != 0 }

  private static let token: UInt8 = 1
  private static let target: UInt8 = 2
  private static let fieldValue: UInt8 = 4
  private static let hostName: UInt8 = 8
  private static let query: UInt8 = 16

  private static let table: [UInt8] = (0...255).map { (byte: Int) -> UInt8 in
    let character = UInt8(byte)
    let isAlphanumeric = character.isASCIIAlphanumeric
    var classes: UInt8 = 0
    if isAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(character) { classes |= token }
    if isAlphanumeric || "-._~:/?[]@!$&'()*+,;=%^|".utf8.contains(character) { classes |= target | query }
    if "\\`{}".utf8.contains(character) { classes |= query }
    if (character >= 0x20 && character != 0x7f) || character == 0x09 { classes |= fieldValue }
    if isAlphanumeric || "-._~!$&'()*+,;=".utf8.contains(character) { classes |= hostName }
    return classes
  }
}
