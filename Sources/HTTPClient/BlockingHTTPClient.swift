import Platform

/// An HTTP/1.1 client whose calls block. It verifies certificates, follows no redirects and uses no proxy.
///
/// It is made for one host: the connections that it keeps are not looked up by host.
public final class BlockingHTTPClient: Sendable {
  private let timeouts: ClientTimeouts
  private let authorities: String?
  private let maxIdle: Int
  /// Handles that no thread uses, each with the connection of its last request. The last one was used last.
  private let idle = Monitor<[EasyHandle]>([])

  /// - Parameters:
  ///   - authorities: the path of a PEM file with the certificates to trust; nil for the system's.
  ///   - maxIdle: how many connections are kept for later requests.
  public init(timeouts: ClientTimeouts = ClientTimeouts(), authorities: String? = nil, maxIdle: Int = 16) {
    self.timeouts = timeouts
    self.authorities = authorities
    self.maxIdle = maxIdle
  }

  /// Sends a request and waits for its response, whatever its status is.
  public func perform(_ request: ClientRequest) throws(ClientError) -> ClientResponse {
    guard let handle = idle.withLock({ $0.popLast() }) ?? EasyHandle() else { throw .failed("libcurl: out of memory") }
    let transfer = Transfer(request)
    try handle.perform(request, transfer, timeouts: timeouts, authorities: authorities)
    // After an error some versions of libcurl keep a part of what they were doing (curl#18206).
    keep(handle)
    return ClientResponse(
      status: transfer.head.status, fields: transfer.head.fields, body: transfer.body, wasResent: transfer.wasResent)
  }

  /// Closes the connections that no request uses.
  public func closeIdleConnections() {
    // They end outside of the lock, since others may need it meanwhile.
    _ = idle.withLock { handles in
      defer { handles = [] }
      return handles
    }
  }

  private func keep(_ handle: EasyHandle) {
    idle.withLock { handles in
      if handles.count < maxIdle { handles.append(handle) }
    }
  }
}
