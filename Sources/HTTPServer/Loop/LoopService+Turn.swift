import Platform

/// The token of a service's events. No connection has it, and neither does the listener.
let loopServiceToken = UInt64.max - 1

extension LoopService {
  /// Lets the service do what there is to do.
  ///
  /// - Parameters:
  ///   - events: those of the loop's current turn.
  ///   - now: monotonic milliseconds.
  func turn(_ events: [Poller.Event], now: Int64) {
    let isReadable = events.contains { $0.token == loopServiceToken }
    if isReadable || deadline().map({ $0 <= now }) == true { process() }
  }

  /// How long the loop may wait, in milliseconds; -1 for ever.
  ///
  /// - Parameter other: how long it might wait without this service.
  func timeout(atMost other: Int32) -> Int32 {
    guard let deadline = deadline() else { return other }
    let now = monotonicMilliseconds()
    let left = Int32(clamping: max(deadline, now) - now)
    return other < 0 ? left : min(left, other)
  }
}
