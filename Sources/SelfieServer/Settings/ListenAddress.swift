import HTTPServer
import Platform

/// An address to listen on, as HOST:PORT. An IPv6 address stands in brackets. `Listener` in HTTPServer listens on it.
struct ListenAddress: CustomStringConvertible {
  let host: String
  let port: Int
  let description: String

  init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
    guard digits.utf8.allSatisfy(\.isASCIIDigit), let port = Int(digits), 0...65_535 ~= port else { return nil }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    self.host = String(isBracketed ? host.dropFirst().dropLast() : host)
    guard !self.host.isEmpty, isBracketed == host.contains(":") else { return nil }
    self.port = port
    description = text
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
