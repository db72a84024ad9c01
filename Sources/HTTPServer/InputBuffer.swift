/// The bytes a connection has received and not yet used.
///
/// A connection holds one only while there are such bytes; idle connections cost none.
final class InputBuffer {
  /// More than the largest head.
  static let capacity = 64 * 1024

  private var storage = [UInt8](repeating: 0, count: capacity)
  private var start = 0
  private var end = 0

  var count: Int { end - start }
  var isEmpty: Bool { start == end }

  /// Lets `fill` write behind the bytes that are there; it returns how many it wrote.
  func receive(_ fill: (UnsafeMutableRawBufferPointer) -> Socket.Outcome) -> (Socket.Outcome, filledUp: Bool) {
    if start > 0 && end == storage.count { moveToFront() }
    let free = storage.count - end
    let outcome = storage.withUnsafeMutableBytes { bytes in
      fill(UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
    }
    guard case .moved(let count) = outcome else { return (outcome, false) }
    end += min(count, free)
    return (outcome, count == free)
  }

  /// Shows the bytes.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let (start, end) = (start, end)
    return try storage.withUnsafeBufferPointer { (bytes) throws(Failure) -> Result in
      try body(UnsafeBufferPointer(rebasing: bytes[start..<end]))
    }
  }

  /// Drops the first bytes.
  func consume(_ count: Int) {
    start = min(start + count, end)
    if start == end { clear() }
  }

  /// Takes the first bytes out, at most `most` of them.
  func take(_ most: Int) -> [UInt8] {
    let bytes = Array(storage[start..<min(end, start + most)])
    consume(bytes.count)
    return bytes
  }

  func clear() {
    start = 0
    end = 0
  }

  private func moveToFront() {
    storage.withUnsafeMutableBytes { bytes in
      bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
    }
    end -= start
    start = 0
  }
}
