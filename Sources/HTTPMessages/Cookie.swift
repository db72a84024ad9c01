/// The field Cookie (RFC 6265 §5.4). The values of Set-Cookie are made by MicroblogCookie.swift in SelfieAPI and
/// by `OwnerPage` in SelfieOperations.
package enum Cookie {
  /// The values of the cookies of a name, in the order in which the client sends them. There may be several: a client has
  /// one for each path and domain that a server has named.
  ///
  /// Whitespace around a pair is skipped. A value is returned as it is, quotation marks included.
  package static func values(of name: StaticString, in field: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var values: [ArraySlice<UInt8>] = []
    var rest = field
    while !rest.isEmpty {
      let pair = rest.prefix { $0 != UInt8(ascii: ";") }
      rest = rest[pair.endIndex...].dropFirst()
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let isNamed = name.withUTF8Buffer { pair[..<equals].trimmed.elementsEqual($0) }
      if isNamed { values.append(pair[(equals + 1)...].trimmed) }
    }
    return values
  }
}
