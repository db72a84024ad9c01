import Foundation
import Glibc
import Platform
import TestSupport

/// A TCP port between a server and what it needs. Its connections can be lost, held up and answered wrongly.
package final class FaultyProxy: Sendable {
  /// What becomes of bytes.
  package enum Mode: Sendable, Equatable {
    case pass
    /// Nothing passes and nothing ends, as in a network that is cut.
    case hold
    /// So many milliseconds for each chunk.
    case delay(UInt32)
    /// In so many of a hundred cases, what is responded is lost, and the connection with it.
    case loseResponses(percent: Int)
    /// Whatever is asked, these bytes are responded, and the connection ends.
    case respond(String)
    /// What the client sends next is lost, and the connection with it. From then on everything passes.
    case loseNextRequest
    /// What the server responds next is lost, and the connection with it: the client is told this instead. From then on
    /// everything passes.
    case loseNextResponse(telling: [UInt8] = [])
  }

  package enum Target: Sendable {
    case port(Int)
    case socket(String)
  }

  private struct State {
    var mode = Mode.pass
    var target: Target?
    /// Descriptors of both ends of each connection.
    var connections: [Int: [Int32]] = [:]
    var serial = 0
    var chance: SplitMix64
  }

  private static let chunkBytes = 64 * 1024

  package let port: Int
  private let listener: Int32
  private let state: Monitor<State>

  /// - Parameter target: nil as long as there is none.
  package init(target: Target? = nil, seed: UInt64) throws {
    state = Monitor(State(target: target, chance: SplitMix64(seed: seed)))
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard let port = RawClient.bindToFreePort(listener), listen(listener, 128) == 0 else {
      throw SystemError("listen")
    }
    self.port = port
    Foundation.Thread.detachNewThread { [listener, state] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { return }
        Foundation.Thread.detachNewThread { Self.serve(client, state) }
      }
    }
  }

  deinit {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    cut()
  }

  // MARK: - Faults

  package var mode: Mode {
    get { state.withLock { $0.mode } }
    set { state.withLock { $0.mode = newValue } }
  }

  package func setTarget(_ target: Target?) {
    state.withLock { $0.target = target }
  }

  /// Ends all connections there are, with a reset for what is still sent.
  package func cut() {
    state.withLock { state in
      for descriptor in state.connections.values.joined() {
        var hard = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &hard, socklen_t(MemoryLayout<linger>.size))
        shutdown(descriptor, Int32(SHUT_RDWR))
      }
    }
  }

  // MARK: - A connection

  private static func serve(_ client: Int32, _ state: Monitor<State>) {
    sendAtOnce(client)
    while state.withLock({ $0.mode }) == .hold { usleep(5000) }
    let server = state.withLock { $0.target }.flatMap(connect)
    let number = state.withLock { state in
      state.serial += 1
      state.connections[state.serial] = [client, server].compactMap(\.self)
      return state.serial
    }
    if let server { relay(client, server, state) }
    state.withLock { $0.connections[number] = nil }
    for descriptor in [client, server].compactMap(\.self) { close(descriptor) }
  }

  private static func relay(_ client: Int32, _ server: Int32, _ state: Monitor<State>) {
    sendAtOnce(server)
    var buffer = [UInt8](repeating: 0, count: chunkBytes)
    while true {
      var sockets = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&sockets, 2, -1) > 0 else { return }
      for (source, target) in [(0, server), (1, client)] where sockets[source].revents != 0 {
        let isResponse = source == 1
        let (mode, isLost) = state.withLock { state -> (Mode, Bool) in
          let mode = state.mode
          switch mode {
          case .loseResponses(let percent) where isResponse: return (mode, state.chance.happens(percent: percent))
          case .loseNextRequest where !isResponse, .loseNextResponse where isResponse:
            state.mode = .pass
            return (mode, true)
          default: return (mode, false)
          }
        }
        switch mode {
        case .hold:
          usleep(5000)
          continue
        case .delay(let milliseconds): usleep(milliseconds * 1000)
        case .respond(let bytes) where !isResponse:
          let response = Array(bytes.utf8)
          send(client, response, response.count, Int32(MSG_NOSIGNAL))
          // A close with bytes that were not read resets the connection, and the response may be lost.
          shutdown(client, Int32(SHUT_WR))
          while recv(client, &buffer, buffer.count, 0) > 0 {}
          return
        case .loseNextResponse(let bytes) where isLost: send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        default: break
        }
        let count = recv(sockets[source].fd, &buffer, buffer.count, 0)
        guard count > 0, !isLost, sendAll(target, buffer[..<count]) else { return }
      }
    }
  }

  private static func sendAll(_ descriptor: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func sendAtOnce(_ descriptor: Int32) {
    var one = Int32(1)
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func connect(_ target: Target) -> Int32? {
    let descriptor: Int32
    let isConnected: Bool?
    switch target {
    case .port(let port):
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      isConnected = RawClient.withAddress(INADDR_LOOPBACK.bigEndian, port: port) {
        Glibc.connect(descriptor, $0, $1) == 0
      }
    case .socket(let path):
      descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      isConnected = (try? UnixSocketAddress(path: path))?.withPointer { Glibc.connect(descriptor, $0, $1) == 0 }
    }
    if isConnected == true { return descriptor }
    close(descriptor)
    return nil
  }
}
