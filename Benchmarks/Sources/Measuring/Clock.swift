import Glibc

/// Seconds on the monotonic clock.
public func monotonicSeconds() -> Double {
  var now = timespec()
  clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}

/// Sleeps.
public func pause(_ seconds: Double) {
  guard seconds > 0 else { return }
  var time = timespec(tv_sec: Int(seconds), tv_nsec: Int((seconds - seconds.rounded(.down)) * 1e9))
  var rest = timespec()
  while nanosleep(&time, &rest) != 0, errno == EINTR { time = rest }
}
