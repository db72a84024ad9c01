/// How long the server still waits for a slow client: as long as the client's arrears are below a grace period.
/// `Limits` has the numbers.
///
/// Waiting puts the client in arrears, and the bytes that it moves pay them off. It cannot pay in advance: a client that
/// has sent much and then falls silent has no more time than any other.
///
/// Only time spent waiting for the client counts. Time that the server itself needs, such as for writing an upload to
/// the disk, costs the client nothing.
struct MinimumDataRate {
  /// How far the client is behind one that moves so many bytes each second.
  private struct Arrears {
    var bytesPerSecond: Int64
    /// Bytes that such a client would have moved, times a thousand.
    private var missing: Int64 = 0

    init(bytesPerSecond: Int64) {
      self.bytesPerSecond = max(1, bytesPerSecond)
    }

    var milliseconds: Int64 { missing / bytesPerSecond }

    mutating func wait(_ milliseconds: Int64) { missing &+= milliseconds &* bytesPerSecond }

    mutating func pay(_ bytes: Int) { missing = max(0, missing &- Int64(bytes) &* 1000) }
  }

  private var grace: Int64
  private var arrears: Arrears
  /// The arrears behind the rate that a server short of memory asks for.
  private var delay: Arrears
  /// For one wait, in milliseconds.
  private let timeout: Int64
  private var waitStart: Int64?

  /// - Parameter holdsMemory: whether the server holds in memory what the client sends or receives.
  init(limits: Limits, timeout: Int64, holdsMemory: Bool = false) {
    self.timeout = timeout
    grace = limits.dataRateGrace
    arrears = Arrears(bytesPerSecond: limits.minBytesPerSecond)
    delay = Arrears(bytesPerSecond: limits.shortageBytesPerSecond)
    if holdsMemory { holdMemory(limits) }
  }

  /// From now on the server holds in memory what the client sends.
  mutating func holdMemory(_ limits: Limits) {
    guard arrears.bytesPerSecond != limits.minHeldBytesPerSecond else { return }
    let before = arrears.milliseconds
    grace = limits.heldDataRateGrace
    arrears = Arrears(bytesPerSecond: limits.minHeldBytesPerSecond)
    arrears.wait(before)
  }

  mutating func count(_ bytes: Int) {
    arrears.pay(bytes)
    delay.pay(bytes)
  }

  /// Begins to wait for the client.
  ///
  /// - Returns: for how many milliseconds at most; 0 or less when its time is over.
  mutating func beginWait(now: Int64) -> Int64 {
    endWait(now: now)
    waitStart = now
    return min(timeout, grace &- arrears.milliseconds)
  }

  mutating func endWait(now: Int64) {
    guard let start = waitStart else { return }
    arrears.wait(now &- start)
    delay.wait(now &- start)
    waitStart = nil
  }

  /// How far the client is behind one that is fast enough for a server that is short of memory, in milliseconds.
  func delay(now: Int64) -> Int64 {
    delay.milliseconds &+ (waitStart.map { now &- $0 } ?? 0)
  }
}
