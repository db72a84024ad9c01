/// The credentials of an Authorization header (RFC 9110, section 11.6.2), as slices of it.
public enum Authorization: Sendable, Equatable {
  /// HTTP Basic (RFC 7617): the base64 text, not yet decoded.
  case basic(encoded: ArraySlice<UInt8>)
  /// The token of the scheme `Token` or `Bearer`; empty when there is none.
  case token(ArraySlice<UInt8>)

  /// Reads an Authorization value; nil for another scheme, and for a scheme without credentials.
  ///
  /// Scheme names are case-insensitive; one or more spaces or tabs follow.
  public static func parse(_ value: ArraySlice<UInt8>) -> Authorization? {
    guard let schemeEnd = value.firstIndex(where: isBlank) else { return nil }
    let scheme = value[..<schemeEnd]
    let credentials = value[schemeEnd...].drop(while: isBlank)
    if equals(scheme, "token") || equals(scheme, "bearer") { return .token(token(credentials)) }
    if equals(scheme, "basic") { return .basic(encoded: credentials) }
    return nil
  }

  /// The token as Rails 4.1.5's `token_and_options` found it: the value of the first pair, whatever its name; or the
  /// bare text. (Rails raised when nothing was left; here it is empty, which no token is.)
  private static func token(_ credentials: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let pair = firstPair(credentials)
    var token = pair
    // param.split(%r/=(.+)?/).last
    if let equals = pair.firstIndex(of: UInt8(ascii: "=")) {
      let value = pair[(equals + 1)...]
      token = value.isEmpty ? pair[..<equals] : value
    }
    // gsub %r/^"|"$/, ''
    if token.first == .quote { token = token.dropFirst() }
    if token.last == .quote { token = token.dropLast() }
    return token
  }

  /// split(/"\s*(?:,|;|\t+)\s*/).first: only a quote before a delimiter ends a pair.
  private static func firstPair(_ credentials: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var index = credentials.startIndex
    while index < credentials.endIndex {
      if credentials[index] == .quote {
        let spaces = credentials[(index + 1)...].prefix(while: \.isSpace)
        let next = spaces.endIndex < credentials.endIndex ? credentials[spaces.endIndex] : 0
        if next == UInt8(ascii: ",") || next == UInt8(ascii: ";") || spaces.contains(UInt8(ascii: "\t")) {
          return credentials[..<index]
        }
        index = spaces.endIndex
      } else {
        index += 1
      }
    }
    return credentials
  }

  private static func equals(_ scheme: ArraySlice<UInt8>, _ name: StaticString) -> Bool {
    guard scheme.count == name.utf8CodeUnitCount else { return false }
    return name.withUTF8Buffer { zip(scheme, $0).allSatisfy { $0.lowercased == $1 } }
  }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
