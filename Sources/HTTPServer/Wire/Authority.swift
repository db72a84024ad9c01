import Platform

/// `uri-host [ ":" port ]` (RFC 3986 §3.2.2), as in a Host field or an absolute URL.
enum Authority {
  /// Whether the text is an authority. The host must not be empty (RFC 9110 §4.2.1), and user information is not allowed
  /// (RFC 9110 §4.2.4).
  static func isValid(_ text: ArraySlice<UInt8>) -> Bool {
    guard let first = text.first else { return false }
    let hostEnd = first == UInt8(ascii: "[") ? literalEnd(of: text) : nameEnd(of: text)
    guard let hostEnd, hostEnd > text.startIndex else { return false }
    guard hostEnd < text.endIndex else { return true }
    return text[hostEnd] == UInt8(ascii: ":") && text[(hostEnd + 1)...].allSatisfy(\.isASCIIDigit)
  }

  /// Where `[` address `]` ends.
  private static func literalEnd(of text: ArraySlice<UInt8>) -> Int? {
    guard let bracket = text.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let address = text[(text.startIndex + 1)..<bracket]
    let isAddress = address.allSatisfy { CharacterClass.isHostName($0) || $0 == UInt8(ascii: ":") }
    return isAddress && !address.isEmpty ? bracket + 1 : nil
  }

  /// Where a name or an IPv4 address ends.
  private static func nameEnd(of text: ArraySlice<UInt8>) -> Int? {
    var index = text.startIndex
    while index < text.endIndex {
      if CharacterClass.isHostName(text[index]) {
        index += 1
      } else if text[index] == UInt8(ascii: "%") {
        guard text[(index + 1)...].prefix(2).count(where: { Hex.value(of: $0) != nil }) == 2 else { return nil }
        index += 3
      } else {
        break
      }
    }
    return index
  }
}
