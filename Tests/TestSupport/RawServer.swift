import Glibc
import Platform

/// A server on a free port of this machine that sends bytes as they are. It has a reply for each request, in their
/// order, and closes the connection of a request for which it has none.
package final class RawServer: Sendable {
  /// What a client gets for a request.
  package struct Reply: Sendable {
    /// What comes after the bytes.
    package enum Ending: Sendable {
      /// The next request.
      case none
      case close
      case reset
      /// Nothing, until the client closes the connection.
      case stall
    }

    package var bytes: [UInt8]
    package var ending: Ending
    /// Whether the request's body is read before.
    package var readsBody = true
    /// What the reply waits for.
    package var semaphore: Semaphore?

    package init(_ text: String, ending: Ending = .none) {
      bytes = Array(text.utf8)
      self.ending = ending
    }

    package static func response(
      _ status: Int, _ fields: [String] = [], body: [UInt8] = [], ending: Ending = .none
    ) -> Reply {
      let lines = ["HTTP/1.1 \(status) Status", "Content-Length: \(body.count)"] + fields
      var reply = Reply(lines.map { $0 + "\r\n" }.joined() + "\r\n", ending: ending)
      reply.bytes += body
      return reply
    }
  }

  private struct State {
    var replies: [Reply]
    var requests: [RawMessage] = []
    var connectionCount = 0
    var openConnectionCount = 0
  }

  package let port: Int
  private let listener: Int32
  private let state: Monitor<State>

  package init(_ replies: [Reply]) throws {
    state = Monitor(State(replies: replies))
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard let port = RawClient.bindToFreePort(listener), listen(listener, 64) == 0 else {
      throw SystemError("bind")
    }
    self.port = port
    _ = try Thread(named: "raw-server") { [listener, state] in Self.serveClients(of: listener, state) }
  }

  deinit {
    // The thread that waits for clients closes the socket.
    shutdown(listener, Int32(SHUT_RDWR))
  }

  /// The requests that have come so far.
  package var requests: [RawMessage] { state.withLock { $0.requests } }

  package var connectionCount: Int { state.withLock { $0.connectionCount } }

  /// How many connections the server has not closed yet.
  package var openConnectionCount: Int { state.withLock { $0.openConnectionCount } }

  private static func serveClients(of listener: Int32, _ state: Monitor<State>) {
    defer { close(listener) }
    while true {
      let client = accept(listener, nil, nil)
      guard client >= 0 else { return }
      let number = state.withLock { state in
        state.connectionCount += 1
        state.openConnectionCount += 1
        return state.connectionCount
      }
      let connection = RawClient(accepted: client)
      let isServed = try? Thread(named: "raw-client") {
        try? serve(connection, number, state)
        end(connection, state)
      }
      if isServed == nil { end(connection, state) }
    }
  }

  private static func serve(_ client: RawClient, _ number: Int, _ state: Monitor<State>) throws {
    while let head = try client.take(upTo: "\r\n\r\n") {
      var request = RawMessage(head: head, connection: number)
      let next = state.withLock { state -> Reply? in state.replies.isEmpty ? nil : state.replies.removeFirst() }
      guard let reply = next else { return }
      if reply.readsBody { request.body = try client.take(request.contentLength) }
      state.withLock { $0.requests.append(request) }
      reply.semaphore?.wait()
      try client.send(reply.bytes)
      switch reply.ending {
      case .none: break
      case .close: return
      case .reset: return client.reset()
      case .stall: return _ = try client.rest()
      }
    }
  }

  private static func end(_ client: RawClient, _ state: Monitor<State>) {
    client.close()
    state.withLock { $0.openConnectionCount -= 1 }
  }
}
