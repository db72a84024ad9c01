import Platform

// Checks the syntax of a host and its port. `RequestHead` in HTTPMessages has the host of a request.
extension ArraySlice<UInt8> {
  /// Whether the text is `uri-host [ ":" port ]` (RFC 3986 §3.2.2), as in a Host field or an absolute URL. The host must
  /// not be empty (RFC 9110 §4.2.1), and user information is not allowed (RFC 9110 §4.2.4).
  var isAuthority: Bool {
    guard let hostEnd = first == UInt8(ascii: "[") ? literalEnd : nameEnd, hostEnd > startIndex else { return false }
    let port = self[hostEnd...]
    return port.isEmpty || port.first == UInt8(ascii: ":") && port.dropFirst().allSatisfy(\.isASCIIDigit)
  }

  /// Where `[` address `]` ends. The address may have a zone (`%en0`, or `%25en0` as in RFC 6874), which some clients send
  /// as they got it.
  private var literalEnd: Int? {
    guard let bracket = firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let parts = self[(startIndex + 1)..<bracket].split(
      separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
    let isAddress = parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { $0.isHostName || $0 == UInt8(ascii: ":") }
    }
    return isAddress ? bracket + 1 : nil
  }

  /// Where a name or an IPv4 address ends.
  private var nameEnd: Int? {
    var index = startIndex
    while index < endIndex {
      if self[index].isHostName {
        index += 1
      } else if self[index] == UInt8(ascii: "%") {
        guard self[(index + 1)...].prefix(2).count(where: { Hex.value(of: $0) != nil }) == 2 else { return nil }
        index += 3
      } else {
        break
      }
    }
    return index
  }
}
