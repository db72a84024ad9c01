import Platform

/// The credentials of an Authorization header (RFC 9110, section 11.6.2), as slices of it.
public enum Authorization: Sendable, Equatable {
  /// HTTP Basic (RFC 7617): the base64 text, not yet decoded.
  case basic(encoded: ArraySlice<UInt8>)
  /// The token of the scheme `Token` or `Bearer`; empty if there is none.
  case token(ArraySlice<UInt8>)

  /// Parses the value of an Authorization field; nil for another scheme, or a scheme without credentials.
  ///
  /// Scheme names are case-insensitive; one or more spaces or tabs follow.
  public static func parse(_ value: ArraySlice<UInt8>) -> Authorization? {
    let bytes = value.span
    guard let schemeEnd = bytes.firstIndex(from: 0, where: isBlank) else { return nil }
    let start = bytes.firstIndex(from: schemeEnd) { !isBlank($0) } ?? bytes.count
    if schemeEnd == 5 && bytes.begins(with: "basic") {
      return .basic(encoded: value[(value.startIndex + start)...])
    }
    guard (schemeEnd == 5 && bytes.begins(with: "token")) || (schemeEnd == 6 && bytes.begins(with: "bearer")) else {
      return nil
    }
    let token = tokenRange(bytes, from: start)
    return .token(value[(value.startIndex + token.lowerBound)..<(value.startIndex + token.upperBound)])
  }

  /// Whether the value of an Authorization field has the scheme `Bearer`, even if no token follows: an app that has none
  /// yet sends the scheme alone.
  public static func isBearer(_ value: ArraySlice<UInt8>) -> Bool {
    let bytes = value.span
    let schemeEnd = bytes.firstIndex(from: 0, where: isBlank) ?? bytes.count
    return schemeEnd == 6 && bytes.begins(with: "bearer")
  }

  /// The token as Rails 4.1.5's `token_and_options` found it: the value of the first pair, whatever its name, or the bare
  /// text. If nothing was left, Rails raised an error. Here the token is empty, and so never valid.
  private static func tokenRange(_ bytes: Span<UInt8>, from start: Int) -> Range<Int> {
    var lower = start
    var upper = pairEnd(bytes, from: start)
    // param.split(%r/=(.+)?/).last
    if let equals = bytes.firstIndex(from: start, where: { $0 == UInt8(ascii: "=") }), equals < upper {
      if equals + 1 < upper { lower = equals + 1 } else { upper = equals }
    }
    // gsub %r/^"|"$/, ''
    if lower < upper && bytes[lower] == .quote { lower += 1 }
    if lower < upper && bytes[upper - 1] == .quote { upper -= 1 }
    return lower..<upper
  }

  /// split(/"\s*(?:,|;|\t+)\s*/).first: only a quote before a delimiter ends a pair.
  private static func pairEnd(_ bytes: Span<UInt8>, from start: Int) -> Int {
    var index = start
    while let quote = bytes.firstIndex(from: index, where: { $0 == .quote }) {
      index = quote + 1
      while index < bytes.count && bytes[index].isSpace {
        if bytes[index] == UInt8(ascii: "\t") { return quote }
        index += 1
      }
      if index < bytes.count && (bytes[index] == UInt8(ascii: ",") || bytes[index] == UInt8(ascii: ";")) {
        return quote
      }
    }
    return bytes.count
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}

extension Span<UInt8> {
  @inline(__always)
  fileprivate func firstIndex(from start: Int, where predicate: (UInt8) -> Bool) -> Int? {
    var index = start
    while index < count {
      if predicate(self[index]) { return index }
      index += 1
    }
    return nil
  }

  /// Whether the first bytes are `name`, which is in lower case, in any case.
  fileprivate func begins(with name: StaticString) -> Bool {
    name.withUTF8Buffer { name in
      guard count >= name.count else { return false }
      for index in 0..<name.count where self[index].asciiLowercased != name[index] { return false }
      return true
    }
  }
}
