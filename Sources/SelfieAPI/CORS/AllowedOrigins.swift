import HTTPMessages
import Platform

/// The origins whose pages may read the server's responses. `CORS` marks the responses.
package struct AllowedOrigins: Sendable, Equatable {
  /// As browsers write them. `*` alone stands for all.
  let origins: [String]

  static let all = AllowedOrigins(origins: ["*"])
}

extension AllowedOrigins {
  /// Reads `*`, or origins with commas between them. An origin is compared as browsers write it (RFC 6454 §6.2): in lower
  /// case, and without the scheme's own port.
  ///
  /// - Returns: nil for anything else, such as an address with a path, for which no browser would ever ask.
  package init?(_ text: String) {
    let items = text.lowercased().split(separator: ",", omittingEmptySubsequences: false).map {
      String($0.filter { $0 != " " })
    }
    let origins = items == Self.all.origins ? items : items.compactMap(Self.origin)
    guard origins.count == items.count else { return nil }
    self.init(origins: origins)
  }

  private static func origin(_ text: String) -> String? {
    let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let first = parts[0].utf8.first, (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first),
      parts[0].utf8.allSatisfy({ $0.isASCIIAlphanumeric || "+-.".utf8.contains($0) }), isHost(parts[1])
    else { return nil }
    let usualPort = ["http": ":80", "https": ":443"][String(parts[0])]
    guard let usualPort, text.hasSuffix(usualPort) else { return text }
    return String(text.dropLast(usualPort.count))
  }

  /// A name or an address, with a port or without.
  private static func isHost(_ text: Substring) -> Bool {
    !text.isEmpty && text.first != ":" && text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._:[]".utf8.contains($0) }
  }

  /// The value of Access-Control-Allow-Origin for a page of this origin; nil if it may read nothing.
  func allowing(_ origin: ArraySlice<UInt8>) -> String? {
    self == .all ? "*" : origins.first { origin.elementsEqual($0.utf8) }
  }

  /// The value of Access-Control-Allow-Origin in the response to a request; nil if no page may read it.
  ///
  /// `*` stands in every response, also where the request has no Origin: a browser that has cached a photo for `<img>`
  /// gives it to `fetch` as well (WHATWG Fetch, "CORS protocol and HTTP caches").
  ///
  /// - Parameter head: of the request; nil if it could not be read, and could only have named the only origin.
  func allowing(_ head: RequestHead?) -> String? {
    if self == .all { return "*" }
    guard let head else { return origins.count == 1 ? origins.first : nil }
    return head.fields[.origin].flatMap(allowing)
  }
}
