import Glibc
import HTTPServer
import Platform

/// Tells systemd twice in each interval of its watchdog that the event loops work (sd_watchdog_enabled(3)). While one of
/// them hangs it says nothing, and systemd starts the server anew.
struct Watchdog {
  private let hasStopped: Monitor<Bool>
  private let thread: Thread

  /// Nil if systemd does not watch this process.
  init?(of server: Server, _ manager: ServiceManager) throws {
    guard let half = Self.interval.map({ max(1, $0 / 2) }) else { return nil }
    let hasStopped = Monitor(false)
    self.hasStopped = hasStopped
    thread = try Thread(named: "watchdog") {
      repeat {
        if server.loopsRespond(within: half) { manager.tell(.isAlive) }
      } while hasStopped.wait(until: monotonicMilliseconds() + half, for: { $0 ? () : nil }) == nil
    }
  }

  /// Blocks until nothing more will be said.
  func stop() {
    hasStopped.withLock { $0 = true }
    hasStopped.notifyAll()
    thread.join()
  }

  /// In milliseconds. A pid that is not this process's means that the variables were inherited.
  private static var interval: Int64? {
    guard SettingSources.environment("WATCHDOG_PID").map({ $0 == "\(getpid())" }) ?? true,
      let microseconds = SettingSources.environment("WATCHDOG_USEC").flatMap(Int64.init), microseconds > 0
    else { return nil }
    return microseconds / 1000
  }
}
