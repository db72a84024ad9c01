import SelfieOperations

extension Settings {
  /// Whether the server listens on every address of the machine.
  var listensEverywhere: Bool { ["0.0.0.0", "::"].contains(host) }

  /// Where clients reach the server. A server that listens on every address cannot know which of them a client can
  /// reach, so the owner must fill it in.
  func clientURL(port: Int) -> String {
    publicURL ?? url(host: listensEverywhere ? "ADDRESS-OF-THIS-MACHINE" : host, port: port)
  }

  func url(host: String, port: Int) -> String {
    Self.url(tls == nil ? "http" : "https", host: host, port: port)
  }

  /// An IPv6 address stands in brackets (RFC 3986 §3.2.2).
  static func url(_ scheme: String, host: String, port: Int) -> String {
    "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }

  /// Where the owner's browser can open the owner's page: by HTTPS, or on this machine.
  func ownerURL(port: Int) -> String {
    if let publicURL, PageAccess.canOpen(at: publicURL) { return publicURL }
    let isLocal = tls == nil || listensEverywhere || host.hasPrefix("127.")
    return url(host: isLocal && host != "::1" ? "localhost" : host, port: port)
  }
}
