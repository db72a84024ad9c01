import Glibc
import TestSupport

/// An HTTP/1.1 client on one connection that blocks, for a server of this machine.
final class Client {
  /// There was no response, or not all of one.
  struct Lost: Error {
    /// Whether the whole request was handed to the system; if not, the server cannot have had it.
    let wasSent: Bool
    var request = ""
    var failure: RawClient.Failure?
  }

  private static let retryPause: UInt32 = 250_000

  let port: Int
  private let maxRetries: Int
  private var connection: RawClient?
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
  func send(_ request: AppRequest, pause: UInt32 = 0) throws(Lost) -> RawResponse {
    var attempts = 0
    while true {
      let response = try sendOnce(request, pause)
      guard attempts < maxRetries, response.asksForRetry else { return response }
      attempts += 1
      retries += 1
      usleep(Self.retryPause)
    }
  }

  private func sendOnce(_ request: AppRequest, _ pause: UInt32) throws(Lost) -> RawResponse {
    let connection = try connected()
    let wasSent = Self.write(request.bytes(host: "127.0.0.1"), to: connection, pause: pause)
    do {
      // A server that has refused a body may have responded before the end of it.
      let response = try connection.response()
      if !wasSent || response.announcesClose { self.connection = nil }
      return response
    } catch {
      self.connection = nil
      throw Lost(wasSent: wasSent, request: "\(request.method) \(request.target) \(request.body.count)", failure: error)
    }
  }

  private func connected() throws(Lost) -> RawClient {
    if let connection { return connection }
    do {
      let connection = try RawClient()
      try connection.connect(to: port)
      self.connection = connection
      return connection
    } catch {
      throw Lost(wasSent: false, failure: error)
    }
  }

  private static func write(_ bytes: [UInt8], to connection: RawClient, pause: UInt32) -> Bool {
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
}

extension AppRequests {
  /// Those of the server under torture.
  static let torture = AppRequests(
    name: "torture", password: "20hWfR1QM75fFJ2mjQNHkslpEF9bXN0SiBzEqDB47QIxBmw9sTR9q0B7kiS16m7e")
}
