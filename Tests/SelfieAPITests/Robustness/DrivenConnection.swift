import APITestSupport
import Glibc
import HTTPMessages
import Platform

@testable import HTTPServer

/// A connection of the server whose loop turns only when it is told to, on the thread that tells it: what has
/// arrived when the server looks is exactly what was sent before.
final class DrivenConnection {
  private let loop: EventLoop
  private let table: ConnectionTable
  private let client: Int32

  init(responder: Responder) throws {
    loop = try EventLoop()
    loop.adoptCurrentThread()
    table = ConnectionTable(loop: loop, limits: Limits(), memory: MemoryBudget(), responder: responder)
    var pair: [Int32] = [0, 0]
    let isMade = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &pair) == 0
    precondition(isMade, "socketpair")
    client = pair[0]
    table.add(Socket(owning: pair[1]), peer: "127.0.0.1")
  }

  deinit {
    table.closeAll()
    close(client)
  }

  /// Whether the server has not ended the connection.
  var isOpen: Bool { table.connectionCount > 0 }

  /// Sends the bytes and lets the server do all it can with them; returns what it answers meanwhile.
  func send(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var rest = bytes
    var response: [UInt8] = []
    repeat {
      let count = rest.withUnsafeBytes { Glibc.send(client, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      rest = rest.dropFirst(max(0, count))
      response += turn()
    } while !rest.isEmpty && isOpen
    return response
  }

  private func turn() -> [UInt8] {
    var events: [Poller.Event] = []
    repeat {
      loop.poller.wait(timeout: 0, into: &events)
      table.turn(events, accept: {})
    } while loop.runSubmitted() || !events.isEmpty
    var response: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while case let count = recv(client, &buffer, buffer.count, 0), count > 0 { response += buffer[..<count] }
    return response
  }
}
