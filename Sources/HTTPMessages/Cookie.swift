// Finds cookies in the field Cookie of a request. MicroblogCookie.swift in SelfieAPI and `OwnerPage` in
// SelfieOperations make the values of Set-Cookie.
extension ArraySlice<UInt8> {
  /// The values of the cookies of a name in the field Cookie (RFC 6265 §5.4), in the order in which the client sends them.
  /// There may be several: a client has one for each path and domain that a server has named.
  ///
  /// White space around a pair is skipped, and so are quotation marks around a value (§4.1.1).
  package func cookies(named name: StaticString) -> [ArraySlice<UInt8>] {
    split(separator: UInt8(ascii: ";")).compactMap { pair in
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { return nil }
      let isNamed = name.withUTF8Buffer { pair[..<equals].trimmed.elementsEqual($0) }
      return isNamed ? pair[(equals + 1)...].trimmed.withoutQuotationMarks : nil
    }
  }

  private var withoutQuotationMarks: Self {
    count > 1 && first == .quote && last == .quote ? dropFirst().dropLast() : self
  }
}
