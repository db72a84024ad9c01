import ArgumentParser
import Glibc
import HTTPServer
import Platform

/// `selfie-server health`: asks the server for `/up`. The Docker image has no curl for its HEALTHCHECK. Health.swift in
/// SelfieAPI has the endpoint.
struct Health: Command, ConfigurationSource {
  static let configuration = CommandConfiguration(
    "health", "Exit with 0 if the server responds to GET /up with 200.",
    examples: "health", "health --port 8080")

  @Option(help: "The server's HOST. (default: \(SettingTable.all.host.defaultText(isEphemeral: false) ?? ""))")
  var host: String?

  @Option(help: "The server's PORT. (default: \(SettingTable.all.port.defaultText(isEphemeral: false) ?? ""))")
  var port: String?

  @Option(help: .config) var config: String?
  @Option(help: .home) var home: String?

  var flags: [String: String?] { [SettingTable.all.host.name: host, SettingTable.all.port.name: port] }

  func execute() throws {
    let settings = try settings()
    let ask = { try Self.statusLine(host: $0, port: settings.port, usesTLS: settings.tls != nil) }
    // A server that listens on every address listens on these, too. The machine may lack one of them.
    let statusLine =
      try settings.host == "::"
      ? (try? ask("::1")) ?? ask("127.0.0.1") : ask(settings.listensEverywhere ? "127.0.0.1" : settings.host)
    guard statusLine.hasPrefix("HTTP/1.1 200 ") else {
      throw ConfigurationError("The server responded with \"\(statusLine)\".")
    }
  }

  private static let timeoutSeconds = 5

  private static func statusLine(host: String, port: Int, usesTLS: Bool) throws -> String {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, String(port), &hints, &found) == 0, let address = found else {
      throw ConfigurationError("\(host) is not a known host.")
    }
    defer { freeaddrinfo(address) }
    let descriptor = socket(address.pointee.ai_family, address.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
    let file = OpenFile(owning: descriptor)
    file.setTimeout(seconds: timeoutSeconds)
    guard connect(descriptor, address.pointee.ai_addr, address.pointee.ai_addrlen) == 0 else {
      throw ConfigurationError("Nothing listens on \(host), port \(port): \(String(cString: strerror(errno))).")
    }
    let request = Array("GET /up HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    let response = try usesTLS ? TLSContext.exchange(request, on: descriptor) : exchange(request, on: file)
    return String(decoding: response.prefix { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }

  private static func exchange(_ request: [UInt8], on file: OpenFile) throws -> [UInt8] {
    try? FileSystem.write(request[...], to: file, path: "")
    let response = (try? FileSystem.read(file, maxBytes: 1024, path: "")) ?? []
    guard !response.isEmpty else { throw ConfigurationError("The server does not respond.") }
    return response
  }
}
