import Glibc
import Measuring

/// A persistent connection with blocking reads.
public final class BlockingConnection {
  private let descriptor: Int32
  private var buffer = [UInt8](repeating: 0, count: 64 * 1024)

  /// - Parameter timeout: in seconds, of a read.
  public init?(port: UInt16, timeout: Int = 5) {
    guard let descriptor = Loopback.open(port: port, timeout: timeout) else { return nil }
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Sends a request and reads the response. Returns whether that is a complete 200.
  public func isAnswered(_ request: [UInt8]) -> Bool {
    response(to: request)?.starts(with: "HTTP/1.1 200 ".utf8) ?? false
  }

  /// Sends a request and reads the response, which must be shorter than 64 KiB; nil if it is incomplete.
  public func response(to request: [UInt8]) -> ArraySlice<UInt8>? {
    guard Exchange.send(request, to: descriptor) else { return nil }
    var count = 0
    while count < buffer.count {
      let received = buffer.withUnsafeMutableBytes {
        recv(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count, 0)
      }
      guard received > 0 else { return nil }
      count += received
      if let length = Self.length(of: buffer[..<count]), count >= length {
        return count == length ? buffer[..<count] : nil
      }
    }
    return nil
  }

  /// The length of the whole response, once its head has arrived.
  private static func length(of bytes: ArraySlice<UInt8>) -> Int? {
    guard let end = find("\r\n\r\n", in: bytes), let field = find("\r\nContent-Length: ", in: bytes) else { return nil }
    var length = 0
    for byte in bytes[field...].prefix(while: { $0 != 0x0d }) { length = length * 10 + Int(byte) - 48 }
    return end + length
  }

  /// The index after the first occurrence.
  private static func find(_ text: StaticString, in bytes: ArraySlice<UInt8>) -> Int? {
    text.withUTF8Buffer { wanted in
      guard bytes.count >= wanted.count else { return nil }
      let last = bytes.endIndex - wanted.count
      return (bytes.startIndex...last).first { bytes[$0...].starts(with: wanted) }.map { $0 + wanted.count }
    }
  }
}
