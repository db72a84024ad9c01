import Platform
import Foundation
import Synchronization

/// A client that sends bytes as they are, over a blocking socket of its own.
final class RawClient: Sendable {
  enum Failure: Error, Equatable {
    /// The connection ended in the middle of an answer, or before one.
    case ended
    /// Nothing came, or nothing was taken, for as long as a test waits.
    case timedOut
    case system(call: String, number: Int32)

    static func last(_ call: String) -> Failure {
      errno == EAGAIN || errno == EWOULDBLOCK ? .timedOut : .system(call: call, number: errno)
    }
  }

  private struct State {
    var descriptor: Int32
    var received: [UInt8] = []
  }

  /// No answer of a test takes this long, in milliseconds.
  private static let patience = 10_000

  private let state: Monitor<State>

  private init(descriptor: Int32) {
    state = Monitor(State(descriptor: descriptor))
  }

  deinit {
    let descriptor = state.withLock { $0.descriptor }
    if descriptor >= 0 { Glibc.close(descriptor) }
  }

  /// Connects to a port of this machine.
  ///
  /// - Parameter receiveBuffer: what the kernel may hold for this client; small for one that is slow.
  static func connect(to port: Int, receiveBuffer: Int? = nil) async throws -> RawClient {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw Failure.last("socket") }
    // Made here, not where it blocks: the thread sanitizer does not see how a result of another thread is handed over.
    let client = RawClient(descriptor: descriptor)
    if let receiveBuffer { setOption(descriptor, SO_RCVBUF, Int32(receiveBuffer)) }
    setPatience(descriptor, SO_RCVTIMEO, milliseconds: patience)
    setPatience(descriptor, SO_SNDTIMEO, milliseconds: patience)
    try await Blocking.run {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let isConnected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else { throw Failure.last("connect") }
    }
    return client
  }

  // MARK: - Sending

  func send(_ bytes: [UInt8]) async throws {
    let descriptor = state.withLock { $0.descriptor }
    try await Blocking.run {
      var sent = 0
      while sent < bytes.count { sent += try Self.sendOnce(descriptor, bytes[sent...]) }
    }
  }

  func send(_ text: String) async throws {
    try await send(Array(text.utf8))
  }

  /// Sends until the server takes no more for a quarter of a second; how many bytes went.
  func sendUntilBlocked(atMost most: Int) async throws -> Int {
    let descriptor = state.withLock { $0.descriptor }
    return try await Blocking.run {
      Self.setPatience(descriptor, SO_SNDTIMEO, milliseconds: 250)
      defer { Self.setPatience(descriptor, SO_SNDTIMEO, milliseconds: Self.patience) }
      let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 64 * 1024)
      var sent = 0
      while sent < most {
        do {
          sent += try Self.sendOnce(descriptor, piece[..<min(piece.count, most - sent)])
        } catch Failure.timedOut {
          return sent
        }
      }
      return sent
    }
  }

  /// Tells the server that nothing more will come.
  func endSending() {
    _ = state.withLock { shutdown($0.descriptor, Int32(SHUT_WR)) }
  }

  /// Sends, and tells the server in the same moment that nothing more will come.
  func sendAndEnd(_ text: String) async throws {
    let descriptor = state.withLock { $0.descriptor }
    let bytes = Array(text.utf8)
    try await Blocking.run {
      _ = try Self.sendOnce(descriptor, bytes[...])
      shutdown(descriptor, Int32(SHUT_WR))
    }
  }

  /// Ends the connection as a crash or a lost network does: the server gets a RST.
  func reset() {
    state.withLock { state in
      var hard = linger(l_onoff: 1, l_linger: 0)
      setsockopt(state.descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
      Glibc.close(state.descriptor)
      state.descriptor = -1
    }
  }

  func close() {
    state.withLock { state in
      if state.descriptor >= 0 { Glibc.close(state.descriptor) }
      state.descriptor = -1
    }
  }

  // MARK: - Receiving

  /// The next answer as a whole.
  ///
  /// - Parameter hasBody: false for an answer to HEAD, whose length speaks of what was left out.
  func response(hasBody: Bool = true) async throws -> RawResponse {
    try await Blocking.run { [self] in
      while true {
        if let response = takeResponse(hasBody: hasBody) { return response }
        guard try receive() > 0 else { throw Failure.ended }
      }
    }
  }

  /// Everything up to the end of the connection.
  func rest() async throws -> [UInt8] {
    try await Blocking.run { [self] in
      while try receive() > 0 {}
      return state.withLock { state in
        defer { state.received = [] }
        return state.received
      }
    }
  }

  /// What one call of recv gives, at most 64 KiB.
  func receiveOnce() async throws -> [UInt8] {
    try await Blocking.run { [self] in
      _ = try receive()
      return state.withLock { state in
        defer { state.received = [] }
        return state.received
      }
    }
  }

  /// Whether the connection ends here, with nothing before its end.
  var isAtEnd: Bool {
    get async throws { try await rest().isEmpty }
  }

  private func takeResponse(hasBody: Bool) -> RawResponse? {
    state.withLock { state in
      let text = state.received
      guard let end = text.indices.first(where: { text[$0...].starts(with: "\r\n\r\n".utf8) }) else { return nil }
      var response = RawResponse(head: Array(text[..<end]))
      let bodyStart = end + 4
      let length = hasBody ? Int(response["content-length"] ?? "0") ?? 0 : 0
      guard text.count - bodyStart >= length else { return nil }
      response.body = Array(text[bodyStart..<(bodyStart + length)])
      state.received.removeFirst(bodyStart + length)
      return response
    }
  }

  private func receive() throws -> Int {
    let descriptor = state.withLock { $0.descriptor }
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { throw Failure.last("recv") }
    state.withLock { $0.received += buffer[..<count] }
    return count
  }

  private static func sendOnce(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) throws -> Int {
    let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    guard count >= 0 else { throw Failure.last("send") }
    return count
  }

  private static func setOption(_ descriptor: Int32, _ option: Int32, _ value: Int32) {
    var value = value
    setsockopt(descriptor, SOL_SOCKET, option, &value, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func setPatience(_ descriptor: Int32, _ option: Int32, milliseconds: Int) {
    var time = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
    setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }
}
