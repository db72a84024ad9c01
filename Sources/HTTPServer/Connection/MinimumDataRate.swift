/// How long the server still waits for a slow client: a grace period, extended by every byte that moves.
///
/// Only time spent waiting for the client counts. Time that the server itself needs, such as for writing an upload to
/// the disk, costs the client nothing.
struct MinimumDataRate {
  private let grace: Int64
  private let bytesPerSecond: Int64
  /// For one wait, in milliseconds.
  private let timeout: Int64
  private var moved: Int64 = 0
  private var waited: Int64 = 0
  private var waitStart: Int64?

  init(limits: Limits, timeout: Int64) {
    grace = limits.dataRateGrace
    bytesPerSecond = max(1, limits.minBytesPerSecond)
    self.timeout = timeout
  }

  mutating func count(_ bytes: Int) {
    moved &+= Int64(bytes)
  }

  /// Begins to wait for the client.
  ///
  /// - Returns: for how many milliseconds at most; 0 or less when its time is over.
  mutating func beginWait(now: Int64) -> Int64 {
    endWait(now: now)
    waitStart = now
    return min(timeout, grace &+ moved / bytesPerSecond &* 1000 &- waited)
  }

  mutating func endWait(now: Int64) {
    if let start = waitStart { waited &+= now &- start }
    waitStart = nil
  }
}
