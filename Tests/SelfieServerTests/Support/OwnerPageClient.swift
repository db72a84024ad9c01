import Foundation
import TestSupport
import Testing

/// The owner's page's requests to a server, without a browser.
struct OwnerPageClient: Sendable {
  let port: Int
  private(set) var cookie = ""

  init(port: Int) {
    self.port = port
  }

  /// - Parameter cookie: that of the session that was opened if nil.
  func send(
    _ method: String, _ path: String, cookie: String? = nil, body: String = ""
  ) async throws -> RawResponse {
    let client = try await RawClient.connect(to: port)
    let fields = [
      "Host: localhost:\(port)", "Origin: http://localhost:\(port)", "X-Owner-Page: 1",
      "Cookie: \(cookie ?? self.cookie)", "Content-Length: \(body.utf8.count)", "Connection: close",
    ]
    let head = ["\(method) \(path) HTTP/1.1"] + fields
    try await client.send("\(head.joined(separator: "\r\n"))\r\n\r\n\(body)")
    return try await client.response()
  }

  /// Begins a session by the link that `selfie-server owner` has printed.
  mutating func open(_ link: String) async throws {
    let secret = try #require(link.split(separator: "#").last)
    let opened = try await send("POST", "/owner/session", body: #"{"link":"\#(secret)"}"#)
    cookie = String(try #require(opened["set-cookie"]?.split(separator: ";").first))
  }
}
