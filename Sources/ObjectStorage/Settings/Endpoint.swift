import Platform

/// The URL of an object store without a path, such as `https://s3.eu-central-1.amazonaws.com`.
struct Endpoint: Equatable {
  let scheme: String
  /// With the port unless it is the scheme's own: clients leave that out of `Host`, which is signed.
  let host: String
  /// Whether the host is a number, before which a bucket's name cannot stand.
  let isNumeric: Bool

  /// Nil if the text is no such URL.
  init?(_ text: String) {
    guard let separator = text.firstRange(of: "://") else { return nil }
    scheme = text[..<separator.lowerBound].lowercased()
    guard let ownPort = ["https": 443, "http": 80][scheme] else { return nil }
    var authority = text[separator.upperBound...]
    if authority.hasSuffix("/") { authority.removeLast() }
    guard let (name, port) = Self.split(authority.lowercased()) else { return nil }
    host = port == nil || port == ownPort ? name : "\(name):\(port ?? ownPort)"
    isNumeric = name.hasPrefix("[") || name.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
  }

  private static func split(_ authority: String) -> (name: String, port: Int?)? {
    // The colons of an IPv6 address are in brackets.
    let afterName = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
    let end = afterName ?? authority.firstIndex(of: ":") ?? authority.endIndex
    let (name, rest) = (String(authority[..<end]), authority[end...])
    guard isName(name) else { return nil }
    if rest.isEmpty { return (name, nil) }
    guard rest.first == ":", rest.dropFirst().utf8.allSatisfy(\.isASCIIDigit), let port = Int(rest.dropFirst()),
      (1...65_535).contains(port)
    else { return nil }
    return (name, port)
  }

  private static func isName(_ name: String) -> Bool {
    if name.hasPrefix("[") {
      return name.hasSuffix("]") && name.contains(":")
        && name.dropFirst().dropLast().utf8.allSatisfy {
          Hex.value(of: $0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    guard let first = name.utf8.first, let last = name.utf8.last else { return false }
    return first.isASCIIAlphanumeric && last.isASCIIAlphanumeric
      && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
  }
}
