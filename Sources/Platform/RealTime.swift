import Glibc

/// The real time: milliseconds since 1970.
package func unixMilliseconds() -> Int64 {
  var now = timespec()
  clock_gettime(CLOCK_REALTIME, &now)
  return Int64(now.tv_sec) &* 1000 &+ Int64(now.tv_nsec) / 1_000_000
}
