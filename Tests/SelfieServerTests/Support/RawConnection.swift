import Glibc
import Platform

/// A connection whose bytes a test writes and reads by hand, away from Swift's own threads.
final class RawConnection: Sendable {
  private let descriptor: Int32
  private let lane = WorkerPool(name: "raw", threads: 1, waiting: 4)

  struct Failure: Error {
    let call: String
    let number = errno
  }

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(clamping: port)).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    // What does not come in this time never will.
    var patience = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(call: "connect") }
  }

  deinit {
    close(descriptor)
    lane.shutDown()
  }

  /// Ends the connection, as a client does that has its answer.
  func end() {
    shutdown(descriptor, Int32(SHUT_RDWR))
  }

  func send(_ bytes: some Sequence<UInt8>) async throws {
    let (bytes, descriptor) = (Array(bytes), descriptor)
    try await lane.run {
      var sent = 0
      while sent < bytes.count {
        let count = Glibc.send(descriptor, Array(bytes[sent...]), bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { throw Failure(call: "send") }
        sent += count
      }
    }
  }

  /// What comes until it ends with `end`, or until the server closes the connection.
  func receive(until end: String? = nil) async throws -> String {
    let descriptor = descriptor
    return try await lane.run {
      var received: [UInt8] = []
      var block = [UInt8](repeating: 0, count: 4096)
      while true {
        // A byte at a time where more must be left for the next call.
        let count = recv(descriptor, &block, end == nil ? block.count : 1, 0)
        guard count >= 0 else { throw Failure(call: "recv") }
        received += block[..<count]
        let text = String(decoding: received, as: UTF8.self)
        if count == 0 || end.map(text.hasSuffix) == true { return text }
      }
    }
  }
}
