import HTTPServer
import Platform

/// An address to listen on, as HOST:PORT. An IPv6 address stands in brackets.
struct ListenAddress: CustomStringConvertible {
  let host: String
  let port: Int
  let description: String

  init?(_ text: String) {
    guard let match = text.wholeMatch(of: /(?:\[(.*:.*)\]|([^:\[\]]+)):([0-9]+)/), let host = match.1 ?? match.2,
      let port = Int(match.3), port <= 65_535
    else { return nil }
    (self.host, self.port, description) = (String(host), port, text)
  }
}

extension Listener {
  /// - Parameters:
  ///   - setting: the name of the setting that asks for this address.
  ///   - value: what the owner has set it to.
  /// - Throws: a `ConfigurationError` that names the setting.
  convenience init(
    host: String, port: Int, of setting: String, _ value: some CustomStringConvertible
  ) throws(ConfigurationError) {
    do {
      try self.init(host: host, port: port)
    } catch {
      throw ConfigurationError("\(setting) is \(value). \(error)")
    }
  }
}
