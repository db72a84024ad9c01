import Glibc

// Tests of single bytes. They are inlined into other modules, since parsers call them for every byte. Bytes that only
// HTTP needs are in Bytes.swift in HTTPMessages.
extension UInt8 {
  @inlinable
  package var isASCIIDigit: Bool { self &- UInt8(ascii: "0") < 10 }

  @inlinable
  package var isASCIILetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }

  @inlinable
  package var isASCIIAlphanumeric: Bool { isASCIIDigit || isASCIILetter }

  /// Whether C's `isspace` and Ruby take it for white space.
  @inlinable
  package var isASCIISpace: Bool { self == UInt8(ascii: " ") || self &- UInt8(ascii: "\t") < 5 }

  /// The lower-case form of an ASCII letter; any other byte unchanged.
  @inlinable
  package var asciiLowercased: UInt8 { self &- UInt8(ascii: "A") < 26 ? self | 0x20 : self }
}

extension String {
  /// This text with each ASCII letter in the other case.
  package var swappingCase: String {
    String(decoding: utf8.map { $0.isASCIILetter ? $0 ^ 0x20 : $0 }, as: UTF8.self)
  }

  /// As `String(validating:as:)`, which looks up types at run time, so that a short text takes a thousand instructions.
  @inlinable
  package init?(utf8 bytes: some Collection<UInt8>) {
    if bytes.allSatisfy({ $0 < 0x80 }) {
      self.init(decoding: bytes, as: UTF8.self)
    } else {
      self.init(validating: bytes, as: UTF8.self)
    }
  }

  /// Whether the text has a NUL, at which some programs would end it. `contains` would compare byte by byte.
  package var hasNUL: Bool { withCString { strlen($0) } != utf8.count }
}
