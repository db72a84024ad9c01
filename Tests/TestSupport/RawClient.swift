/// A client that sends bytes as they are, for tests that must not block.
public final class RawClient: Sendable {
  public typealias Failure = BlockingClient.Failure

  private let client: BlockingClient

  private init(_ client: BlockingClient) {
    self.client = client
  }

  /// Connects to a port of this machine.
  ///
  /// - Parameters:
  ///   - host: numeric.
  ///   - source: the client's own address, such as 127.0.0.2; nil for 127.0.0.1.
  ///   - receiveBuffer: how much the kernel may hold for this client; small for a slow one.
  ///   - tls: nil for a client that sends its bytes as they are.
  public static func connect(
    to port: Int, host: String = "127.0.0.1", from source: String? = nil, receiveBuffer: Int? = nil,
    tls: ClientTLS.Options? = TestTransport.tls
  ) async throws -> RawClient {
    // Made here, not where it blocks: the thread sanitizer does not see how a result of another thread is handed over.
    let client = try BlockingClient(receiveBuffer: receiveBuffer, tls: tls)
    try await Blocking.run { try client.connect(to: port, host: host, from: source) }
    return RawClient(client)
  }

  /// Nil without TLS.
  public var tls: ClientTLS? { client.tls }

  /// Speaks TLS from now on.
  public func startTLS(_ options: ClientTLS.Options = .init()) async throws {
    try await Blocking.run { [client] in try client.startTLS(options) }
  }

  // MARK: - Sending

  public func send(_ bytes: [UInt8]) async throws {
    try await Blocking.run { [client] in try client.send(bytes) }
  }

  public func send(_ text: String) async throws {
    try await send(Array(text.utf8))
  }

  /// Sends until the server takes no more for a quarter of a second; returns how many bytes it has taken.
  public func sendUntilBlocked(maxBytes: Int) async throws -> Int {
    try await Blocking.run { [client] in try client.sendUntilBlocked(maxBytes: maxBytes) }
  }

  /// Tells the server that nothing more will come.
  public func endSending() { client.endSending() }

  /// Sends, and tells the server in the same moment that nothing more will come.
  public func sendAndEnd(_ text: String) async throws {
    try await Blocking.run { [client] in
      try client.send(Array(text.utf8))
      client.endSending()
    }
  }

  /// Ends the connection as a crash or a lost network does: the server gets a RST.
  public func reset() { client.reset() }

  public func close() { client.close() }

  // MARK: - Receiving

  /// The next response as a whole.
  ///
  /// - Parameter hasBody: false for a response to HEAD, whose length is that of what was left out.
  public func response(hasBody: Bool = true) async throws -> RawResponse {
    try await Blocking.run { [client] in try client.response(hasBody: hasBody) }
  }

  /// Sends a request, and returns the next response.
  public func response(to request: String, hasBody: Bool = true) async throws -> RawResponse {
    try await send(request)
    return try await response(hasBody: hasBody)
  }

  /// Everything up to the end of the connection.
  public func rest() async throws -> [UInt8] {
    try await Blocking.run { [client] in try client.rest() }
  }

  /// What a single call of recv gives, at most 64 KiB.
  public func receiveOnce() async throws -> [UInt8] {
    try await Blocking.run { [client] in try client.receiveOnce() }
  }

  /// Whether the server has ended its side, and all before that end has been received.
  public var hasBeenEnded: Bool { client.hasBeenEnded }

  /// What has been received and not returned so far.
  public func takeReceived() -> [UInt8] { client.takeReceived() }

  /// Whether the connection ends here, with nothing before its end.
  public var isAtEnd: Bool {
    get async throws { try await rest().isEmpty }
  }
}
