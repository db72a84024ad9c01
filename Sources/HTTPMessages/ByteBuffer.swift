import Glibc

/// Bytes that are put together from many small pieces.
///
/// An array looks at each `append` whether it is shared and where its bytes are; here it is known, since
/// there is one owner. An answer has a hundred pieces, so that is a tenth of the time it takes.
///
/// The memory is safe because it is made and freed here, every append makes room first, and only
/// `count` bytes, all of them written, are ever shown.
public struct ByteBuffer: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  /// How many bytes there are.
  public var count: Int { end }
  @usableFromInline var end = 0

  /// - Parameter capacity: how many bytes are expected; more may come.
  public init(capacity: Int) {
    self.capacity = max(16, capacity)
    start = Self.memory(malloc(self.capacity))
  }

  deinit {
    free(start)
  }

  /// The bytes.
  public var bytes: [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: end))
  }

  @inlinable
  public mutating func append(_ byte: UInt8) {
    reserve(1)
    start[end] = byte
    end += 1
  }

  @inlinable
  public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append($0) }
  }

  @inlinable
  public mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  @inlinable
  public mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + end).update(from: source, count: bytes.count)
    end += bytes.count
  }

  /// Appends bytes that are there already once more.
  ///
  /// - Precondition: `range` lies within them.
  public mutating func append(copyOf range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= end, "a range of the buffer's bytes")
    reserve(range.count)
    (start + end).update(from: start + range.lowerBound, count: range.count)
    end += range.count
  }

  /// Decimal digits; with zeros in front where there are fewer than `width`, which is 20 at most.
  public mutating func append(decimal number: UInt64, width: Int = 1) {
    var length = 1
    var power: UInt64 = 10
    while length < 20, number >= power {
      length += 1
      power = power.multipliedReportingOverflow(by: 10).partialValue
    }
    length = min(20, max(length, width))
    reserve(length)
    var rest = number
    var position = end + length
    while position > end {
      position -= 1
      start[position] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    end += length
  }

  @inlinable
  mutating func reserve(_ more: Int) {
    if more > capacity - end { grow(by: more) }
  }

  @usableFromInline
  mutating func grow(by more: Int) {
    // As an array does: doubled, so that all growing together costs no more than the bytes.
    let larger = max(capacity * 2, end + more)
    start = Self.memory(realloc(start, larger))
    capacity = larger
  }

  /// malloc itself: Swift's allocation asks for an alignment, which takes twice as long.
  private static func memory(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<UInt8> {
    guard let pointer else { fatalError("out of memory") }
    return pointer.assumingMemoryBound(to: UInt8.self)
  }
}
