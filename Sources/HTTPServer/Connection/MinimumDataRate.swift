/// How long the server still waits for a slow client: as long as the client's arrears are below a grace period.
///
/// Waiting puts the client in arrears, and the bytes that it moves pay them off. It cannot pay in advance: a client that
/// has sent much and then falls silent has no more time than any other.
///
/// Only time spent waiting for the client counts. Time that the server itself needs, such as for writing an upload to
/// the disk, costs the client nothing.
struct MinimumDataRate {
  private var grace: Int64
  private var bytesPerSecond: Int64
  /// For one wait, in milliseconds.
  private let timeout: Int64
  /// Milliseconds of waiting that no bytes have paid for.
  private var arrears: Int64 = 0
  /// Bytes that have paid for less than a millisecond.
  private var change: Int64 = 0
  private var moved: Int64 = 0
  private var waited: Int64 = 0
  private var waitStart: Int64?

  /// - Parameter holdsMemory: whether the server holds in memory what the client sends or receives.
  init(limits: Limits, timeout: Int64, holdsMemory: Bool = false) {
    self.timeout = timeout
    (grace, bytesPerSecond) = (limits.dataRateGrace, max(1, limits.minBytesPerSecond))
    if holdsMemory { holdMemory(limits) }
  }

  /// From now on the server holds in memory what the client sends.
  mutating func holdMemory(_ limits: Limits) {
    (grace, bytesPerSecond) = (limits.heldDataRateGrace, max(1, limits.minHeldBytesPerSecond))
  }

  mutating func count(_ bytes: Int) {
    moved &+= Int64(bytes)
    change &+= Int64(bytes) &* 1000
    arrears = max(0, arrears &- change / bytesPerSecond)
    change = arrears == 0 ? 0 : change % bytesPerSecond
  }

  /// Begins to wait for the client.
  ///
  /// - Returns: for how many milliseconds at most; 0 or less when its time is over.
  mutating func beginWait(now: Int64) -> Int64 {
    endWait(now: now)
    waitStart = now
    return min(timeout, grace &- arrears)
  }

  mutating func endWait(now: Int64) {
    guard let start = waitStart else { return }
    waited &+= now &- start
    arrears &+= now &- start
    waitStart = nil
  }

  /// How much longer the server has waited than for a client of so many bytes per second, in milliseconds.
  func delay(against bytesPerSecond: Int64, now: Int64) -> Int64 {
    waited &+ (waitStart.map { now &- $0 } ?? 0) &- moved &* 1000 / max(1, bytesPerSecond)
  }
}
