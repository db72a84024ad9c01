import Glibc

/// The bytes a connection has received and not yet used.
///
/// A connection holds one only while there are such bytes; idle connections cost none.
///
/// The bytes lie in pages of their own (mmap(2)). The kernel gives memory to those only that are
/// written to, so a head that comes byte by byte takes one page; and they go back to it when the buffer
/// does, where the allocator would have kept those of a thousand slow clients for ever.
///
/// The pointer is safe because it is made and unmapped here, and lent only to the closures below,
/// while somebody holds the buffer.
final class InputBuffer {
  /// More than the largest head.
  static let capacity = 64 * 1024

  /// Empty when the system had no memory.
  private let storage: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0

  init() {
    let pages = mmap(nil, Self.capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages, pages != MAP_FAILED else {
      storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      return
    }
    storage = UnsafeMutableRawBufferPointer(start: pages, count: Self.capacity)
    // Neighbouring buffers would be given memory by the two megabytes.
    madvise(pages, Self.capacity, MADV_NOHUGEPAGE)
  }

  deinit {
    if let pages = storage.baseAddress { munmap(pages, storage.count) }
  }

  var count: Int { end - start }
  var isEmpty: Bool { start == end }

  /// Lets `fill` write behind the bytes that are there; it returns how many it wrote.
  func receive(_ fill: (UnsafeMutableRawBufferPointer) -> Socket.Outcome) -> (Socket.Outcome, filledUp: Bool) {
    guard !storage.isEmpty else { return (.failed, false) }
    if start > 0 && end == storage.count { moveToFront() }
    let free = storage.count - end
    let outcome = fill(UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
    guard case .moved(let count) = outcome else { return (outcome, false) }
    end += min(count, free)
    return (outcome, count == free)
  }

  /// Shows the bytes.
  func withBytes<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = storage.bindMemory(to: UInt8.self)
    return try body(UnsafeBufferPointer(rebasing: bytes[start..<end]))
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
    storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
    end -= start
    start = 0
  }
}
