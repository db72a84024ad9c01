import Glibc

/// Requests and responses on blocking sockets.
public enum Exchange {
  /// Sends all bytes. Returns false if the connection has ended.
  public static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
        let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }

  /// Waits for the first bytes of a response, which contain all of a short one. Returns whether it is a 200.
  public static func isAnswered(on descriptor: Int32) -> Bool {
    var buffer = [UInt8](repeating: 0, count: 16 * 1024)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    return count > 0 && buffer[..<count].starts(with: "HTTP/1.1 200 ".utf8)
  }

  /// Whether a new client is served. It has an address of its own.
  public static func isServed(port: UInt16) -> Bool {
    guard let descriptor = Loopback.open(port: port, source: 0x7f00_0003) else { return false }
    defer { close(descriptor) }
    return send(Array("GET /up HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), to: descriptor)
      && isAnswered(on: descriptor)
  }

  /// An upload whose body has the boundary `B`.
  public static func upload(_ body: String, token: String) -> [UInt8] {
    Array(
      """
      POST /api/upload_photo HTTP/1.1\r
      Host: localhost\r
      Authorization: Token token=\(token)\r
      Content-Type: multipart/form-data; boundary=B\r
      Content-Length: \(body.utf8.count)\r
      \r
      \(body)
      """.utf8)
  }
}
