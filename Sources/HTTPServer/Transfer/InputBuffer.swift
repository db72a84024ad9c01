import Glibc
import Platform

/// The bytes a connection has received and not yet used. A connection has a buffer only while there are such bytes.
/// Bytes to be sent are in `PendingResponse`.
///
/// The bytes are in pages of their own (mmap(2)). The kernel backs only the pages that are written to, so a head that
/// arrives byte by byte takes one page, and the pages return to the kernel with the buffer. The allocator would keep
/// those of a thousand slow clients for ever.
///
/// The pointer is safe because it is mapped and unmapped here, and only the closures below see it, while the caller
/// holds the buffer.
final class InputBuffer {
  /// More than `Limits.maxHead`.
  static let capacity = 64 * 1024

  /// Empty if the system had no memory.
  private let storage: UnsafeMutableRawBufferPointer
  private var start = 0
  private var end = 0
  private let memory: MemoryBudget
  /// The pages that have been written to, which is the memory that the buffer takes.
  private(set) var residentBytes = 0
  static let pageBytes = 4096

  /// - Parameter memory: counts what the buffer takes.
  init(memory: MemoryBudget = MemoryBudget()) {
    self.memory = memory
    let pages = mmap(nil, Self.capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages, pages != MAP_FAILED else {
      storage = UnsafeMutableRawBufferPointer(start: nil, count: 0)
      return
    }
    storage = UnsafeMutableRawBufferPointer(start: pages, count: Self.capacity)
    // Otherwise the kernel may back neighbouring buffers with pages of two megabytes.
    madvise(pages, Self.capacity, MADV_NOHUGEPAGE)
  }

  deinit {
    if let pages = storage.baseAddress { munmap(pages, storage.count) }
    memory.subtractPages(residentBytes)
  }

  var count: Int { end - start }
  var isEmpty: Bool { start == end }

  /// Lets `fill` append bytes.
  func receive(_ fill: (UnsafeMutableRawBufferPointer) -> Socket.Outcome) -> Socket.Outcome {
    guard !storage.isEmpty else { return .failed }
    if start > 0 && end == storage.count { moveToFront() }
    let outcome = fill(UnsafeMutableRawBufferPointer(rebasing: storage[end...]))
    guard case .moved(let count) = outcome else { return outcome }
    end += min(count, storage.count - end)
    if end > residentBytes { countPages() }
    return outcome
  }

  func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = storage.bindMemory(to: UInt8.self)
    return try body(bytes.span.extracting(start..<end))
  }

  /// Drops empty lines at the beginning, each a CR LF or an LF; false while nothing else has arrived. A CR alone may yet
  /// become an empty line.
  func dropEmptyLines() -> Bool {
    while count > 0, storage[start] == 0x0a || (count > 1 && storage[start] == 0x0d && storage[start + 1] == 0x0a) {
      consume(1)
    }
    return count > 1 || (count == 1 && storage[start] != 0x0d)
  }

  /// Drops the first bytes.
  func consume(_ count: Int) {
    start = min(start + count, end)
    if start == end { clear() }
  }

  /// Takes out the first bytes, at most `max` of them.
  func take(_ max: Int) -> [UInt8] {
    let bytes = Array(storage[start..<min(end, start + max)])
    consume(bytes.count)
    return bytes
  }

  func clear() {
    start = 0
    end = 0
  }

  private func countPages() {
    let resident = (end + Self.pageBytes - 1) / Self.pageBytes * Self.pageBytes
    memory.addPages(resident - residentBytes)
    residentBytes = resident
  }

  private func moveToFront() {
    storage.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
    end -= start
    start = 0
  }
}
