import Foundation
import Glibc

/// An HTTP/1.1 client on one connection that blocks, for a server of this machine.
final class Client {
  /// An answer, complete.
  struct Answer {
    let status: Int
    let body: [UInt8]

    var object: [String: Any]? {
      (try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)) as? [String: Any]
    }

    var list: [[String: Any]]? {
      (try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed)) as? [[String: Any]]
    }

    var text: String { String(decoding: body.prefix(500), as: UTF8.self) }
  }

  /// There was no answer, or not all of one.
  struct Lost: Error {
    /// Whether the whole request was handed to the system; if not, the server cannot have had it.
    let wasSent: Bool
    var request = ""
    var number: Int32 = 0
  }

  private let port: Int
  private var descriptor: Int32 = -1

  init(port: Int) {
    self.port = port
  }

  deinit {
    disconnect()
  }

  /// Sends a request and waits for its answer, half a minute at most.
  ///
  /// - Parameter pause: microseconds between two stretches of 64 KiB.
  func send(
    _ method: String, _ target: String, authorization: String? = nil, type: String? = nil, body: [UInt8] = [],
    pause: UInt32 = 0
  ) throws(Lost) -> Answer {
    if descriptor < 0 { try connect() }
    var head = "\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    if let authorization { head += "Authorization: \(authorization)\r\n" }
    if let type { head += "Content-Type: \(type)\r\n" }
    if !body.isEmpty { head += "Content-Length: \(body.count)\r\n" }
    let request = Array((head + "\r\n").utf8) + body
    let wasSent = write(request, pause: pause)
    // A server that has refused a body may have answered before the end of it.
    guard let answer = read() else {
      let number = errno
      disconnect()
      throw Lost(wasSent: wasSent, request: "\(method) \(target) \(body.count)", number: number)
    }
    if !wasSent { disconnect() }
    return answer
  }

  private func connect() throws(Lost) {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var (yes, patience): (Int32, timeval) = (1, timeval(tv_sec: 30, tv_usec: 0))
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &patience, socklen_t(MemoryLayout<timeval>.size))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else {
      disconnect()
      throw Lost(wasSent: false)
    }
  }

  private func disconnect() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }

  private func write(_ bytes: [UInt8], pause: UInt32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...].prefix(64 * 1024))
        let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        if count < 0 && errno == EINTR { continue }
        guard count > 0 else { return false }
        sent += count
        if pause > 0 && sent < bytes.count { usleep(pause) }
      }
      return true
    }
  }

  private func read() -> Answer? {
    var received: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 64 * 1024)
    var head: Head?
    while true {
      if head == nil { head = Head(received) }
      if let head, received.count >= head.length + head.bodyLength {
        // What comes on it later, the server does not take for a request.
        if head.closes { disconnect() }
        return Answer(status: head.status, body: Array(received[head.length...].prefix(head.bodyLength)))
      }
      let count = recv(descriptor, &block, block.count, 0)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      received += block[..<count]
    }
  }
}

/// What must be known of the head of an answer.
private struct Head {
  private static let end = Array("\r\n\r\n".utf8)

  let status: Int
  let bodyLength: Int
  let closes: Bool
  /// Of the head itself, with the empty line.
  let length: Int

  /// Nil while it is not complete.
  init?(_ bytes: [UInt8]) {
    guard let end = bytes.firstRange(of: Self.end) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    func field(_ name: String) -> String? {
      let line = lines.dropFirst().first { $0.lowercased().hasPrefix("\(name):") }
      return line?.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces)
    }
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else { return nil }
    self.status = status
    bodyLength = field("content-length").flatMap { Int($0) } ?? 0
    closes = field("connection")?.lowercased() == "close"
    length = end.upperBound
  }
}
