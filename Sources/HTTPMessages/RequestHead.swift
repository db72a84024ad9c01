/// The request line and the header fields of a request, stored as the bytes received. RequestParser.swift in HTTPServer
/// parses it, and `Fields` finds a field by its name.
///
/// A class, because it never changes and is passed from call to call: each pass counts one reference instead of five.
package final class RequestHead: Sendable {
  /// The versions this server speaks (RFC 9112 §2.3).
  package enum Version: Sendable {
    case http10, http11
  }

  package let method: Method
  package let version: Version
  package let fields: Fields
  private let targetRange: Range<Int>
  private let pathRange: Range<Int>
  private let queryRange: Range<Int>?
  private let authorityRange: Range<Int>?

  /// - Parameters:
  ///   - bytes: the whole head.
  ///   - target: the place of the request target: origin-form, absolute-form or `*` (RFC 9112 §3.2).
  ///   - entries: the places of the header fields.
  package init(
    bytes: [UInt8], method: Method, target: Range<Int>, version: Version, entries: [Fields.Entry]
  ) {
    self.method = method
    self.version = version
    fields = Fields(bytes: bytes, entries: entries)
    targetRange = target

    var pathStart = target.lowerBound
    var authority: Range<Int>?
    if bytes[target].first != UInt8(ascii: "/"), let start = Self.authorityStart(of: bytes[target]) {
      let end = bytes[start..<target.upperBound].firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
      authority = start..<(end ?? target.upperBound)
      pathStart = end ?? target.upperBound
    }
    authorityRange = authority
    let question = bytes[pathStart..<target.upperBound].firstIndex(of: UInt8(ascii: "?"))
    pathRange = pathStart..<(question ?? target.upperBound)
    queryRange = question.map { ($0 + 1)..<target.upperBound }
  }

  /// The request target as received.
  package var target: ArraySlice<UInt8> { fields.bytes[targetRange] }

  /// The method's name, even if the server does not know it.
  package var methodName: ArraySlice<UInt8> { fields.bytes.prefix { $0 != UInt8(ascii: " ") } }

  /// The target's path, not decoded; `*` in asterisk-form. An absolute-form without a path has `/` (RFC 9110 §4.2.3).
  package var path: ArraySlice<UInt8> { pathRange.isEmpty ? Self.root : fields.bytes[pathRange] }

  private static let root = [UInt8(ascii: "/")][...]

  /// The text after the first `?` of the target, not decoded; nil if there is none.
  package var query: ArraySlice<UInt8>? { queryRange.map { fields.bytes[$0] } }

  /// The authority of an absolute-form target; nil in the other forms.
  package var authority: ArraySlice<UInt8>? { authorityRange.map { fields.bytes[$0] } }

  /// The host that the request is for: the authority of an absolute-form target, which replaces the Host field (RFC 9112
  /// §3.2.2), or else that field. The zone of an IPv6 address is left out: it means something on the client's machine only
  /// (RFC 4007 §6).
  package var host: ArraySlice<UInt8>? {
    let host = authority ?? fields[.host]
    if let host, host.first == UInt8(ascii: "["), let zone = host.firstIndex(of: UInt8(ascii: "%")),
      let end = host.lastIndex(of: UInt8(ascii: "]"))
    {
      return host[..<zone] + host[end...]
    }
    return host
  }

  /// Whether the request has come through a proxy, as far as can be told: by Via (RFC 9110 §7.6.3), Forwarded (RFC 7239),
  /// or a field that proxies have made up, such as X-Forwarded-For, X-Real-IP, True-Client-IP and CF-Connecting-IP.
  ///
  /// nginx's `proxy_pass` adds no field by itself, but asks with HTTP/1.0, which no app does.
  package var isForwarded: Bool { version == .http10 || fields.pairs.contains { Self.isOfProxy($0.name) } }

  private static func isOfProxy(_ name: ArraySlice<UInt8>) -> Bool {
    let name = String(decoding: name, as: UTF8.self).lowercased()
    return name == "via" || name.contains("forwarded")
      || ["-real-ip", "client-ip", "-connecting-ip"].contains(where: name.hasSuffix)
  }

  private static func authorityStart(of target: ArraySlice<UInt8>) -> Int? {
    let schemes: [StaticString] = ["http://", "https://"]
    return schemes.first { target.prefix($0.utf8CodeUnitCount).equalsIgnoringCase($0) }
      .map { target.startIndex + $0.utf8CodeUnitCount }
  }
}
