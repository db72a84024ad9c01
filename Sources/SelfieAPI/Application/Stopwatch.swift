import HTTPMessages
import Platform

/// Measures how long a response took, for X-Runtime.
struct Stopwatch {
  private let start = monotonicNanoseconds()

  /// Seconds since the start, with six fraction digits.
  var seconds: [UInt8] {
    let microseconds = UInt64(clamping: monotonicNanoseconds() &- start) / 1000
    var text = ByteBuffer(capacity: 16)
    text.append(decimal: microseconds / 1_000_000)
    text.append(UInt8(ascii: "."))
    text.append(decimal: microseconds % 1_000_000, width: 6)
    return text.bytes
  }
}
