package import HTTPMessages

// Whether a request comes from this machine, or from a page of another site. `Client` has the address of its sender.

extension Request {
  /// Whether the request was sent by a program on this machine, as far as it shows.
  ///
  /// The peer's address is not enough. A page in a browser on this machine can send requests to a name of its own that
  /// resolves to 127.0.0.1 (DNS rebinding), so the host must be a name of this machine. A proxy on this machine sends
  /// requests of other machines, so the request must not be forwarded. Not every proxy says so.
  package var isLocal: Bool { peer.isLoopback && isToLocalhost && !isFromForeignPage(of: nil) }

  /// Whether the client connected to its own machine, if it is a browser: it connects to `localhost` nowhere else. From
  /// there, the port that a container publishes or a tunnel may have led the request here, so the peer can be any.
  package var isToLocalhost: Bool { !head.isForwarded && hostName.isLoopbackHost }

  /// Whether a browser says that a page of another site sent the request (Fetch, W3C Fetch Metadata). Browsers let every
  /// page send a GET to any address, and a POST with a body of type text/plain. Pages of this machine's own servers are
  /// not foreign, nor are pages of `PUBLIC_URL`.
  ///
  /// What the browser says of the site counts first, as no page can set that, and a proxy may ask for another host than
  /// the browser did.
  package func isFromForeignPage(of publicURL: String?) -> Bool {
    let sites = head.fields.all(.secFetchSite)
    if sites.contains(where: { $0.elementsEqual("cross-site".utf8) || $0.elementsEqual("same-site".utf8) }) {
      return true
    }
    if sites.contains(where: { $0.elementsEqual("same-origin".utf8) }) { return false }
    return head.fields.all(.origin).contains { origin in
      // A page without an origin, such as one in a sandbox, sends "null".
      guard origin.count <= Self.maxOriginBytes,
        let origin = origin.asciiText, case let parts = origin.split(separator: "://", maxSplits: 1), parts.count == 2
      else { return true }
      return parts[1] != hostName && !String(parts[1]).isLoopbackHost && !origin.isOrigin(of: publicURL)
    }
  }

  /// A scheme, the 255 bytes of the longest name (RFC 1035 §2.3.4), and a port have less.
  private static var maxOriginBytes: Int { 512 }

  private var hostName: String { head.host.map { String(decoding: $0, as: UTF8.self) } ?? "" }
}

extension String {
  /// Whether this is the origin of a URL, such as `https://selfies.example`.
  package func isOrigin(of url: String?) -> Bool {
    self == url || url?.hasPrefix("\(self)/") == true && contains("://")
  }

  /// Whether a `Host`, with or without a port, names the client's own machine.
  package var isLoopbackHost: Bool {
    guard utf8.count <= Self.maxLoopbackBytes else { return false }
    if hasPrefix("["), let end = firstIndex(of: "]") { return String(self[..<end].dropFirst()).isLoopback }
    return String(prefix { $0 != ":" }).isLoopback
  }

  /// Those of an IPv4 address in IPv6, with brackets and a port, have less.
  private static var maxLoopbackBytes: Int { 64 }

  fileprivate var isLoopback: Bool {
    self == "localhost" || self == "::1" || self == "::ffff:127.0.0.1"
      || hasPrefix("127.") && allSatisfy { $0 == "." || $0.isASCII && $0.isNumber }
  }
}

extension FieldName {
  /// W3C Fetch Metadata §2.3.
  package static let secFetchSite = FieldName("sec-fetch-site")
}
