import Glibc

/// Milliseconds since some moment in the past; it never goes back and does not know the date.
package func monotonicMilliseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) &* 1000 &+ Int64(now.tv_nsec) / 1_000_000
}
