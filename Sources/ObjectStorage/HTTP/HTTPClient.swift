import Platform

/// An HTTP/1.1 client whose calls block. It verifies certificates, follows no redirects and uses no proxy. `EasyHandle`
/// has the calls to libcurl, and `ObjectStore` decides whether to try again after a failure.
///
/// It is made for one host: the connections that it keeps are not looked up by host.
final class HTTPClient: Sendable {
  private let timeouts: ClientTimeouts
  private let authorities: String?
  private let maxIdle: Int
  /// Handles that no thread uses, each with the connection of its last request. The last one was used last.
  private let idle = Monitor<[EasyHandle]>([])

  /// - Parameters:
  ///   - authorities: the path of a PEM file with the certificates to trust; nil for the system's.
  ///   - maxIdle: how many connections are kept for later requests.
  init(timeouts: ClientTimeouts = ClientTimeouts(), authorities: String? = nil, maxIdle: Int = 16) {
    self.timeouts = timeouts
    self.authorities = authorities
    self.maxIdle = maxIdle
  }

  /// Sends a request and waits for its response, whatever its status is.
  func perform(_ request: ClientRequest) throws(ObjectStoreError) -> ClientResponse {
    guard let handle = idle.withLock({ $0.popLast() }) ?? EasyHandle() else { throw .failed("libcurl: out of memory") }
    let transfer = Transfer(request)
    // After an error some versions of libcurl keep a part of what they were doing (curl#18206), so the handle goes.
    try handle.perform(request, transfer, timeouts: timeouts, authorities: authorities)
    idle.withLock { handles in
      if handles.count < maxIdle { handles.append(handle) }
    }
    return transfer.response
  }

  /// Closes the connections that no request uses.
  func closeIdleConnections() {
    // They end outside of the lock, since others may need it meanwhile.
    _ = idle.withLock { exchange(&$0, with: []) }
  }
}

/// How long a request may take.
struct ClientTimeouts: Sendable {
  /// Milliseconds for the address, the connection and the TLS handshake.
  var connect: Int64 = 5_000
  /// Seconds in which less than a byte a second moves, also while the server prepares its response.
  var stalled = 20
  /// Milliseconds for a request that moves little.
  var base: Int64 = 30_000
  /// Adds time for each byte that a request may move.
  var minBytesPerSecond: Int64 = 64 * 1024

  /// Milliseconds for a whole request.
  func whole(forBytes count: Int64) -> Int64 {
    min(Self.maxWhole, base + Int64(Double(count) * 1000 / Double(minBytesPerSecond)))
  }

  /// A day. libcurl takes a `long`.
  private static let maxWhole: Int64 = 86_400_000
}
