/// How much patience a slow client has left: a grace, and more with every byte it moves.
///
/// Only the time spent waiting for the client counts, so that what the server takes for itself, such
/// as writing an upload to the disk, costs the client nothing.
struct MinimumDataRate {
  private let grace: Int64
  private let bytesPerSecond: Int64
  private let pause: Int64
  private var moved: Int64 = 0
  private var waited: Int64 = 0
  private var waitStart: Int64?

  init(limits: Limits, pause: Int64) {
    grace = limits.dataRateGrace
    bytesPerSecond = max(1, limits.minBytesPerSecond)
    self.pause = pause
  }

  mutating func move(_ count: Int) {
    moved &+= Int64(count)
  }

  /// Begins to wait for the client.
  ///
  /// - Returns: for how long, in milliseconds; 0 or less when its time is over.
  mutating func wait(now: Int64) -> Int64 {
    proceed(now: now)
    waitStart = now
    return min(pause, grace &+ moved / bytesPerSecond &* 1000 &- waited)
  }

  /// The client has done something, or need not any more.
  mutating func proceed(now: Int64) {
    if let start = waitStart { waited &+= now &- start }
    waitStart = nil
  }
}
