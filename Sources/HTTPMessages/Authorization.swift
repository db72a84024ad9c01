import Platform

/// The credentials of an Authorization header (RFC 9110, section 11.6.2), as slices of it. Authentication.swift in
/// SelfieAPI checks whether they are right.
package enum Authorization: Sendable, Equatable {
  /// HTTP Basic (RFC 7617): the base64 text, not yet decoded.
  case basic(encoded: ArraySlice<UInt8>)
  /// The token of the scheme `Token` or `Bearer`; empty if there is none.
  case token(ArraySlice<UInt8>)

  /// Parses the value of an Authorization field; nil for another scheme, or a scheme without credentials.
  ///
  /// Scheme names are case-insensitive; one or more spaces or tabs follow.
  package static func parse(_ value: ArraySlice<UInt8>) -> Authorization? {
    let scheme = value.prefix { !$0.isBlank }
    guard scheme.count < value.count else { return nil }
    let credentials = value[scheme.endIndex...].drop(while: \.isBlank)
    if scheme.equalsIgnoringCase("basic") { return .basic(encoded: credentials) }
    guard scheme.equalsIgnoringCase("token") || scheme.equalsIgnoringCase("bearer") else { return nil }
    return .token(token(credentials))
  }

  /// Whether the value of an Authorization field has the scheme `Bearer`, even if no token follows: an app that has none
  /// yet sends the scheme alone.
  package static func isBearer(_ value: ArraySlice<UInt8>) -> Bool {
    value.prefix { !$0.isBlank }.equalsIgnoringCase("bearer")
  }

  /// The token as Rails 4.1.5's `token_and_options` found it: the value of the first pair, whatever its name, or the bare
  /// text. If nothing was left, Rails raised an error. Here the token is empty, and so never valid.
  private static func token(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var token = text[..<pairEnd(text)]
    // param.split(%r/=(.+)?/).last
    if let equals = token.firstIndex(of: UInt8(ascii: "=")) {
      let value = token[(equals + 1)...]
      token = value.isEmpty ? token[..<equals] : value
    }
    // gsub %r/^"|"$/, ''
    if token.first == .quote { token = token.dropFirst() }
    return token.last == .quote ? token.dropLast() : token
  }

  /// split(/"\s*(?:,|;|\t+)\s*/).first: only a quote before a delimiter ends a pair.
  private static func pairEnd(_ text: ArraySlice<UInt8>) -> Int {
    var index = text.startIndex
    while let quote = text[index...].firstIndex(of: .quote) {
      index = quote + 1
      while index < text.endIndex, text[index].isSpace {
        if text[index] == UInt8(ascii: "\t") { return quote }
        index += 1
      }
      if index < text.endIndex, text[index] == UInt8(ascii: ",") || text[index] == UInt8(ascii: ";") { return quote }
    }
    return text.endIndex
  }
}
