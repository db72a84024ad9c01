extension Settings {
  /// Whether the host stands for every address of the machine.
  var listensEverywhere: Bool { ["0.0.0.0", "::"].contains(host) }

  /// Where clients reach the server. Nobody can connect to "everywhere", and which of the machine's
  /// addresses a client can reach is not known here: a server that listens everywhere leaves a blank.
  func clientURL(port: Int) -> String {
    publicURL ?? Self.url(host: listensEverywhere ? "ADDRESS-OF-THIS-MACHINE" : host, port: port)
  }

  static func url(host: String, port: Int) -> String {
    "http://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}
