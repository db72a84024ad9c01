extension Settings {
  /// Whether the server listens on every address of the machine.
  var listensEverywhere: Bool { ["0.0.0.0", "::"].contains(host) }

  /// Where clients reach the server. A server that listens on every address cannot know which of them a client can
  /// reach, so the owner must fill it in.
  func clientURL(port: Int) -> String {
    publicURL ?? url(host: listensEverywhere ? "ADDRESS-OF-THIS-MACHINE" : host, port: port)
  }

  func url(host: String, port: Int) -> String {
    "\(tls == nil ? "http" : "https")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}
