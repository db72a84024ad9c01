import Glibc
import HTTPMessages

/// Measures how long a response took, for X-Runtime.
struct Stopwatch {
  private let start: UInt64

  init() {
    start = Self.nanoseconds
  }

  /// Seconds since the start, with six fraction digits.
  var seconds: [UInt8] {
    let microseconds = (Self.nanoseconds &- start) / 1000
    var text = ByteBuffer(capacity: 16)
    text.append(decimal: microseconds / 1_000_000)
    text.append(UInt8(ascii: "."))
    text.append(decimal: microseconds % 1_000_000, width: 6)
    return text.bytes
  }

  private static var nanoseconds: UInt64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return UInt64(clamping: now.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: now.tv_nsec)
  }
}
