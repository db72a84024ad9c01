import Platform

extension Server {
  /// Whether every event loop does what it is given within so many milliseconds. Blocks meanwhile. The server must have
  /// been started.
  public func loopsRespond(within milliseconds: Int64) -> Bool {
    let waitingCount = Monitor(loops.count)
    for loop in loops {
      loop.execute {
        waitingCount.withLock { $0 -= 1 }
        waitingCount.notifyAll()
      }
    }
    return waitingCount.wait(until: monotonicMilliseconds() + milliseconds) { $0 == 0 ? true : nil } ?? false
  }
}
