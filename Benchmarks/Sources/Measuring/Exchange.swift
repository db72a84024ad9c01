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
}
