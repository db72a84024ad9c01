import Glibc
import HTTPMessages
import Platform

/// A server that runs, as its `control.sock` shows it. Each request has a connection of its own.
struct RunningServer: OwnerEndpoint {
  private let address: UnixSocketAddress
  private let path: String

  /// Longer than the server takes for any command.
  private static let timeoutSeconds = 150
  private static let maxHeadBytes = 64 * 1024

  /// Nil if no server listens there.
  init?(_ socket: ControlSocket) throws {
    guard try socket.check() else { return nil }
    path = socket.path
    address = try UnixSocketAddress(path: path)
    guard try connect() != nil else { return nil }
  }

  func send(_ request: Request) throws -> OwnerResponse {
    guard let connection = try connect() else { throw ServerGone(path: path) }
    let body = try Blocking.run { try await request.body.collect(upTo: .max) }
    let method = String(decoding: request.head.methodName, as: UTF8.self)
    let target = String(decoding: request.head.target, as: UTF8.self)
    let fields = ["Host: localhost", "Connection: close", "Content-Length: \(body.count)"]
    let head = (["\(method) \(target) HTTP/1.1"] + fields).map { "\($0)\r\n" }.joined() + "\r\n"
    try FileSystem.write((Array(head.utf8) + body)[...], to: connection, path: path)
    return try receive(from: connection)
  }

  private func receive(from connection: OpenFile) throws -> OwnerResponse {
    var received: [UInt8] = []
    let end = Array("\r\n\r\n".utf8)
    while received.firstRange(of: end) == nil {
      let bytes = try FileSystem.read(connection, maxBytes: Self.maxHeadBytes, path: path)
      guard !bytes.isEmpty, received.count < Self.maxHeadBytes else { throw ServerGone(path: path) }
      received += bytes
    }
    let bodyStart = received.firstRange(of: end)?.upperBound ?? received.endIndex
    let lines = String(decoding: received[..<bodyStart], as: UTF8.self).split(separator: "\r\n")
    guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw ServerGone(path: path)
    }
    func number(_ name: String) -> Int? {
      let line = lines.first { $0.lowercased().hasPrefix("\(name.lowercased()): ") }
      return line.flatMap { Int($0.dropFirst(name.count + 2)) }
    }
    let length = number("Content-Length") ?? 0
    return OwnerResponse(status: status, total: number("X-Total-Count")) { [path] body in
      var rest = length
      var chunk = received[bodyStart...].prefix(rest)
      while rest > 0 {
        if chunk.isEmpty { chunk = try FileSystem.read(connection, maxBytes: 256 * 1024, path: path).prefix(rest) }
        guard !chunk.isEmpty else { throw ServerGone(path: path) }
        try body(chunk)
        rest -= chunk.count
        chunk = []
      }
    }
  }

  /// Nil if no server listens.
  private func connect() throws -> OpenFile? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    let connection = OpenFile(owning: descriptor)
    var time = timeval(tv_sec: Self.timeoutSeconds, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
    }
    guard address.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
      if [ENOENT, ECONNREFUSED].contains(errno) { return nil }
      throw FileError("connect", path)
    }
    return connection
  }
}

/// The server ended while it carried out a command.
private struct ServerGone: Error, CustomStringConvertible {
  let path: String
  var description: String {
    "The server closed the connection at \(path) before it had answered. Run the command again to see what it has done."
  }
}
