import Foundation
import Glibc
import TestSupport

/// An HTTP/1.1 client on one connection that blocks, for a server of this machine.
final class Client {
  /// There was no response, or not all of one.
  struct Lost: Error {
    /// Whether the whole request was handed to the system; if not, the server cannot have had it.
    let wasSent: Bool
    var request = ""
    var failure: BlockingClient.Failure?
  }

  private static let retryPause: UInt32 = 250_000

  private let port: Int
  private let maxRetries: Int
  private var connection: BlockingClient?
  /// How often a request was sent again.
  private(set) var retries = 0

  /// - Parameter maxRetries: how often a request is sent again that a server has no time for.
  init(port: Int, maxRetries: Int = 0) {
    self.port = port
    self.maxRetries = maxRetries
  }

  /// Sends a request and waits for its response.
  ///
  /// - Parameter pause: microseconds between two chunks of 64 KiB.
  func send(
    _ method: String, _ target: String, authorization: String? = nil, type: String? = nil, body: [UInt8] = [],
    pause: UInt32 = 0
  ) throws(Lost) -> RawResponse {
    var attempts = 0
    while true {
      let response = try sendOnce(
        method, target, authorization: authorization, type: type, body: body, pause: pause)
      guard attempts < maxRetries, response.asksForRetry else { return response }
      attempts += 1
      retries += 1
      usleep(Self.retryPause)
    }
  }

  private func sendOnce(
    _ method: String, _ target: String, authorization: String?, type: String?, body: [UInt8], pause: UInt32
  ) throws(Lost) -> RawResponse {
    let connection = try connected()
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if let authorization { head += "Authorization: \(authorization)\r\n" }
    if let type { head += "Content-Type: \(type)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
    let wasSent = Self.write(Array((head + "\r\n").utf8) + body, to: connection, pause: pause)
    do {
      // A server that has refused a body may have responded before the end of it.
      let response = try connection.response()
      if !wasSent || response.announcesClose { self.connection = nil }
      return response
    } catch {
      self.connection = nil
      throw Lost(wasSent: wasSent, request: "\(method) \(target) \(body.count)", failure: error)
    }
  }

  private func connected() throws(Lost) -> BlockingClient {
    if let connection { return connection }
    do {
      let connection = try BlockingClient()
      try connection.connect(to: port)
      self.connection = connection
      return connection
    } catch {
      throw Lost(wasSent: false, failure: error)
    }
  }

  private static func write(_ bytes: [UInt8], to connection: BlockingClient, pause: UInt32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard (try? connection.send(Array(rest.prefix(64 * 1024)))) != nil else { return false }
      rest = rest.dropFirst(64 * 1024)
      if pause > 0 && !rest.isEmpty { usleep(pause) }
    }
    return true
  }
}

extension RawResponse {
  var isOutcomeUnknown: Bool { self["x-error"] == "outcome_unknown" }
  /// Whether nothing has happened, and the same request may succeed a little later.
  var asksForRetry: Bool { status == 503 && self["retry-after"] != nil && !isOutcomeUnknown }

  var object: [String: Any]? { json as? [String: Any] }
  var list: [[String: Any]]? { json as? [[String: Any]] }

  private var json: Any? { try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) }
}
