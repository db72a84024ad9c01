import Glibc
import Platform

/// A connection to a server of this machine, with or without TLS, that sends bytes as they are or the requests of apps, and
/// reads one response after another.
///
/// Its calls block. Where they are awaited, a thread of ``Blocking`` makes them.
package final class RawClient: Sendable {
  package enum Failure: Error, Equatable {
    /// The connection ended in the middle of a response, or before one.
    case ended
    /// Nothing came, or nothing was taken, for as long as a test waits.
    case timedOut
    case system(call: String, number: Int32)
    /// What libssl says.
    case tls(String)

    static func last(_ call: String) -> Failure {
      errno == EAGAIN || errno == EWOULDBLOCK ? .timedOut : .system(call: call, number: errno)
    }
  }

  private struct State {
    var descriptor: Int32
    var tls: ClientTLS?
    var received: [UInt8] = []
  }

  /// Bounds only how long a test hangs that has failed: no response takes as long on a loaded machine.
  private static let timeoutMilliseconds = 90_000

  private let state: Monitor<State>
  private let options: ClientTLS.Options?

  /// Makes a socket that is not connected.
  ///
  /// - Parameters:
  ///   - receiveBuffer: how much the kernel may hold for this client; small for a slow one.
  ///   - tls: nil for a client that sends its bytes as they are.
  package init(receiveBuffer: Int? = nil, tls: ClientTLS.Options? = nil) throws(Failure) {
    options = tls
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure.last("socket") }
    state = Monitor(State(descriptor: descriptor))
    if let receiveBuffer { setOption(SOL_SOCKET, SO_RCVBUF, Int32(receiveBuffer)) }
    setOption(Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] { setTimeout(option, milliseconds: Self.timeoutMilliseconds) }
  }

  /// The other side: a connection that was accepted.
  init(accepted descriptor: Int32) {
    options = nil
    state = Monitor(State(descriptor: descriptor))
  }

  deinit {
    close()
  }

  private var descriptor: Int32 { state.withLock { $0.descriptor } }
  /// Nil before the handshake, and without TLS.
  package var tls: ClientTLS? { state.withLock { $0.tls } }

  /// - Parameters:
  ///   - host: numeric.
  ///   - source: the client's own address, such as 127.0.0.2; nil for 127.0.0.1.
  package func connect(to port: Int, host: String = "127.0.0.1", from source: String? = nil) throws(Failure) {
    let descriptor = descriptor
    if let source {
      let isBound = Self.withAddress(inet_addr(source), port: 0) { bind(descriptor, $0, $1) == 0 }
      guard isBound else { throw Failure.last("bind") }
    }
    let isConnected = Self.withAddress(inet_addr(host), port: port) { Glibc.connect(descriptor, $0, $1) == 0 }
    guard isConnected else { throw Failure.last("connect") }
    if let options { try startTLS(options) }
  }

  /// A client that is connected. Its TLS is the test's, if `tls` does not say otherwise.
  package static func connect(
    to port: Int, host: String = "127.0.0.1", from source: String? = nil, receiveBuffer: Int? = nil,
    tls: ClientTLS.Options? = TestTransport.tls
  ) async throws -> RawClient {
    // Made here, not where it blocks: the thread sanitizer does not see how a result of another thread is handed over.
    let client = try RawClient(receiveBuffer: receiveBuffer, tls: tls)
    try await Blocking.run { try client.connect(to: port, host: host, from: source) }
    return client
  }

  package static func withAddress(
    _ host: in_addr_t, port: Int, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool
  ) -> Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = host
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// Speaks TLS from now on.
  package func startTLS(_ options: ClientTLS.Options = .init()) throws(Failure) {
    let descriptor = descriptor
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    let tls = ClientTLS(descriptor: descriptor, options: options)
    try tls.handshake()
    state.withLock { $0.tls = tls }
  }

  package func startTLS(_ options: ClientTLS.Options = .init()) async throws {
    try await Blocking.run { [self] in try startTLS(options) }
  }

  /// Binds a socket to a port of this machine that is free, and returns that; nil, with errno, if it cannot.
  package static func bindToFreePort(_ descriptor: Int32) -> Int? {
    guard withAddress(INADDR_LOOPBACK.bigEndian, port: 0, { bind(descriptor, $0, $1) == 0 }) else { return nil }
    var (address, length) = (sockaddr(), socklen_t(MemoryLayout<sockaddr>.size))
    guard getsockname(descriptor, &address, &length) == 0 else { return nil }
    return withUnsafeBytes(of: address.sa_data) { Int($0[0]) << 8 | Int($0[1]) }
  }

  /// Binds to a port that is free, and returns it.
  package func bindToFreePort() throws(Failure) -> Int {
    guard let port = Self.bindToFreePort(descriptor) else { throw Failure.last("bind") }
    return port
  }

  // MARK: - Sending

  package func send(_ bytes: [UInt8]) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty { rest = rest.dropFirst(try sendOnce(rest)) }
  }

  package func send(_ bytes: [UInt8]) async throws {
    try await Blocking.run { [self] in try send(bytes) }
  }

  package func send(_ text: String) async throws { try await send(Array(text.utf8)) }

  /// Sends until the server takes no more for a quarter of a second; returns how many bytes it has taken.
  package func sendUntilBlocked(maxBytes: Int) async throws -> Int {
    try await Blocking.run { [self] in
      setTimeout(SO_SNDTIMEO, milliseconds: 250)
      defer { setTimeout(SO_SNDTIMEO, milliseconds: Self.timeoutMilliseconds) }
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024)
      var sent = 0
      do throws(Failure) {
        while sent < maxBytes { sent += try sendOnce(piece[..<min(piece.count, maxBytes - sent)]) }
      } catch .timedOut {}
      return sent
    }
  }

  /// Tells the server that nothing more will come.
  package func endSending() {
    tls?.endSending()
    shutdown(descriptor, Int32(SHUT_WR))
  }

  /// Ends the connection as a crash or a lost network does: the server gets a RST.
  package func reset() {
    setOption(SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    close()
  }

  package func close() {
    state.withLock { state in
      if state.descriptor >= 0 { Glibc.close(state.descriptor) }
      state.descriptor = -1
    }
  }

  private func sendOnce(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Int {
    if let tls { return try tls.send(bytes) }
    let descriptor = descriptor
    while true {
      let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count >= 0 { return count }
      guard errno == EINTR else { throw Failure.last("send") }
    }
  }

  // MARK: - Receiving

  /// The next response as a whole.
  ///
  /// - Parameter hasBody: false for a response to HEAD, whose length is that of what was left out.
  package func response(hasBody: Bool = true) throws(Failure) -> RawResponse {
    guard let head = try take(upTo: "\r\n\r\n") else { throw .ended }
    var response = RawResponse(head: head)
    if hasBody, response["transfer-encoding"] == "chunked" {
      while case let chunk = try takeChunk(), !chunk.isEmpty { response.body += chunk }
    } else {
      response.body = try take(response.bodyLength(hasBody: hasBody))
    }
    return response
  }

  package func response(hasBody: Bool = true) async throws -> RawResponse {
    try await Blocking.run { [self] in try response(hasBody: hasBody) }
  }

  /// Sends a request, and returns the next response.
  package func response(to request: String, hasBody: Bool = true) async throws -> RawResponse {
    try await send(request)
    return try await response(hasBody: hasBody)
  }

  /// The response to a request on a connection of its own.
  ///
  /// - Parameter origin: such as `http://127.0.0.1:3000`.
  package static func response(to request: AppRequest, at origin: String) async throws -> RawResponse {
    let authority = origin.dropFirst("http://".count)
    guard let colon = authority.lastIndex(of: ":"), let port = Int(authority[authority.index(after: colon)...]) else {
      throw NotPossible("no port in \(origin)")
    }
    let client = try await connect(to: port, host: String(authority[..<colon]))
    defer { client.close() }
    // A server that refuses a body may respond before the end of it.
    try? await client.send(request.bytes(host: String(authority)))
    return try await client.response(hasBody: request.method != "HEAD")
  }

  /// Everything up to the end of the connection.
  package func rest() throws(Failure) -> [UInt8] {
    while try receive() > 0 {}
    return takeReceived()
  }

  package func rest() async throws -> [UInt8] {
    try await Blocking.run { [self] in try rest() }
  }

  /// Whether the connection ends here, with nothing before its end.
  package var isAtEnd: Bool {
    get async throws { try await rest().isEmpty }
  }

  /// What a single call of recv gives, at most 64 KiB.
  package func receiveOnce() async throws -> [UInt8] {
    try await Blocking.run { [self] in
      _ = try receive()
      return takeReceived()
    }
  }

  /// Whether the server has ended its side, and all before that end has been received.
  package var hasBeenEnded: Bool {
    if let tls { return tls.hasBeenEnded }
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
  }

  /// What has been received and not returned so far.
  package func takeReceived() -> [UInt8] {
    state.withLock { state in
      defer { state.received = [] }
      return state.received
    }
  }

  /// The bytes before a mark, once that has come; nil at the end of the connection.
  func take(upTo mark: String) throws(Failure) -> [UInt8]? {
    while true {
      let found: [UInt8]? = state.withLock { state in
        guard let end = state.received.firstRange(of: mark.utf8) else { return nil }
        defer { state.received.removeFirst(end.upperBound) }
        return Array(state.received[..<end.lowerBound])
      }
      if let found { return found }
      guard try receive() > 0 else { return nil }
    }
  }

  /// So many bytes, once they have come.
  func take(_ count: Int) throws(Failure) -> [UInt8] {
    while state.withLock({ $0.received.count }) < count { guard try receive() > 0 else { throw .ended } }
    return state.withLock { state in
      defer { state.received.removeFirst(count) }
      return Array(state.received.prefix(count))
    }
  }

  private func takeChunk() throws(Failure) -> [UInt8] {
    guard let line = try take(upTo: "\r\n"), let size = Int(String(decoding: line, as: UTF8.self), radix: 16) else {
      throw .ended
    }
    return Array(try take(size + 2).dropLast(2))
  }

  private func receive() throws(Failure) -> Int {
    let descriptor = descriptor
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let tls = tls
    while true {
      let count = try tls?.receive(into: &buffer) ?? recv(descriptor, &buffer, buffer.count, 0)
      if count >= 0 {
        state.withLock { $0.received += buffer[..<count] }
        return count
      }
      guard errno == EINTR else { throw Failure.last("recv") }
    }
  }

  // MARK: - Options

  private func setOption(_ level: Int32, _ option: Int32, _ value: some BitwiseCopyable) {
    _ = withUnsafeBytes(of: value) { setsockopt(descriptor, level, option, $0.baseAddress, socklen_t($0.count)) }
  }

  /// How long a call waits, in milliseconds.
  static func timeout(of descriptor: Int32, reading: Bool) -> Int {
    var time = timeval()
    var length = socklen_t(MemoryLayout<timeval>.size)
    getsockopt(descriptor, SOL_SOCKET, reading ? SO_RCVTIMEO : SO_SNDTIMEO, &time, &length)
    return time.tv_sec * 1000 + Int(time.tv_usec) / 1000
  }

  private func setTimeout(_ option: Int32, milliseconds: Int) {
    setOption(SOL_SOCKET, option, timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000))
  }
}
