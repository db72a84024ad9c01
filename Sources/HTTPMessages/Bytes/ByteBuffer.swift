import Glibc

/// Bytes that are put together from many small pieces. Comparing and searching bytes is in Bytes.swift.
///
/// An array checks with each `append` whether it is shared. A buffer has one owner and need not. A response has a
/// hundred pieces, and this saves a tenth of its time.
///
/// The memory is safe because it is allocated and freed here, every append makes room first, and only the `count` bytes
/// that were written can be read.
@usableFromInline
package struct ByteBuffer: ~Copyable {
  @usableFromInline var start: UnsafeMutablePointer<UInt8>
  @usableFromInline var capacity: Int
  package var count: Int { end }
  @usableFromInline var end = 0

  /// - Parameter capacity: how many bytes are expected; there may be more.
  package init(capacity: Int) {
    self.capacity = max(16, capacity)
    start = Self.memory(malloc(self.capacity))
  }

  deinit {
    free(start)
  }

  package var bytes: [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: end))
  }

  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try body(UnsafeBufferPointer(start: start, count: end))
  }

  @inlinable
  package mutating func append(_ byte: UInt8) {
    reserve(1)
    start[end] = byte
    end += 1
  }

  @inlinable
  mutating func append(_ first: UInt8, _ second: UInt8) {
    reserve(2)
    start[end] = first
    start[end + 1] = second
    end += 2
  }

  @inlinable
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append($0) }
  }

  /// Appends a text between two bytes, such as quotation marks, and makes room once for all of it.
  @inlinable
  package mutating func append(_ first: UInt8, _ text: StaticString, _ last: UInt8) {
    text.withUTF8Buffer { text in
      reserve(text.count + 2)
      start[end] = first
      if let source = text.baseAddress { (start + end + 1).update(from: source, count: text.count) }
      start[end + text.count + 1] = last
      end += text.count + 2
    }
  }

  @inlinable
  package mutating func append(_ bytes: [UInt8]) {
    bytes.withUnsafeBufferPointer { append($0) }
  }

  @inlinable
  package mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let source = bytes.baseAddress else { return }
    reserve(bytes.count)
    (start + end).update(from: source, count: bytes.count)
    end += bytes.count
  }

  package mutating func append(text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  package mutating func append(number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(decimal: number.magnitude)
  }

  /// Appends a copy of bytes that are already in the buffer.
  ///
  /// - Precondition: `range` lies within them.
  package mutating func append(copyOf range: Range<Int>) {
    precondition(range.lowerBound >= 0 && range.upperBound <= end, "a range of the buffer's bytes")
    reserve(range.count)
    (start + end).update(from: start + range.lowerBound, count: range.count)
    end += range.count
  }

  /// Appends decimal digits, with leading zeros if there are fewer than `width`, which is 20 at most.
  package mutating func append(decimal number: UInt64, width: Int = 1) {
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
  @inline(__always)
  mutating func reserve(_ more: Int) {
    if more > capacity &- end { grow(by: more) }
  }

  @usableFromInline
  mutating func grow(by more: Int) {
    // Doubled, as an array does: all growing together then copies no more bytes than there are.
    let larger = max(capacity * 2, end + more)
    start = Self.memory(realloc(start, larger))
    capacity = larger
  }

  /// From malloc: Swift's own allocation asks for an alignment, which takes twice as long.
  private static func memory(_ pointer: UnsafeMutableRawPointer?) -> UnsafeMutablePointer<UInt8> {
    guard let pointer else { fatalError("out of memory") }
    return pointer.assumingMemoryBound(to: UInt8.self)
  }
}
