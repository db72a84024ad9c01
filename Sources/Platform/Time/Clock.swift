package import CLinux
import Glibc

// The system's clocks, and its functions for the text of a time. `Timestamp` and `HTTPDate` in HTTPMessages have the
// formats that clients read.

/// Nanoseconds since some moment in the past. This clock never goes back and does not know the date.
package func monotonicNanoseconds() -> Int64 {
  nanoseconds(CLOCK_MONOTONIC)
}

/// Milliseconds of the same clock as `monotonicNanoseconds`.
package func monotonicMilliseconds() -> Int64 {
  nanoseconds(CLOCK_MONOTONIC) / 1_000_000
}

/// The date: milliseconds since 1970. The system's clock may be set back.
package func unixMilliseconds() -> Int64 {
  nanoseconds(CLOCK_REALTIME) / 1_000_000
}

func nanoseconds(_ clock: clockid_t) -> Int64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
}

/// Reads a time by a format of strptime(3), which is lenient; nil unless strftime(3) would write it in exactly this way.
package func readTime(_ text: ArraySlice<UInt8>, format: String) -> tm? {
  var time = tm()
  guard clinux_read_time(String(decoding: text, as: UTF8.self), format, &time) != 0 else { return nil }
  return text.elementsEqual(writtenTime(time, format: format)) ? time : nil
}

/// Writes a time by a format of strftime(3): 63 bytes at most.
package func writtenTime(_ time: tm, format: String) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
    count = buffer.withMemoryRebound(to: CChar.self) { buffer in
      withUnsafePointer(to: time) { strftime(buffer.baseAddress, buffer.count, format, $0) }
    }
  }
}
