import Glibc

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

private func nanoseconds(_ clock: clockid_t) -> Int64 {
  var now = timespec()
  clock_gettime(clock, &now)
  return Int64(now.tv_sec) &* 1_000_000_000 &+ Int64(now.tv_nsec)
}
