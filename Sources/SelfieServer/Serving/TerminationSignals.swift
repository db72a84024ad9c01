import Glibc
import Platform
import SelfieOperations

/// Takes signals in a thread, instead of handling them in whatever thread they interrupt.
final class TerminationSignals: Sendable {
  private struct State {
    var count = 0
    /// The number of the signal that ends the process at once, and what it does before.
    var end: (number: Int, status: Int32, cleanUp: @Sendable () -> Void)?
  }

  private let state = Monitor(State())

  /// Blocks the signals in this thread and in all threads that it starts from now on.
  ///
  /// - Parameter onOther: called at SIGHUP, SIGUSR1 and SIGUSR2, which then end nothing. If nil, SIGHUP is like SIGTERM.
  init(onOther: (@Sendable (_ number: Int32) -> Void)? = nil) throws {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGTERM, SIGINT, SIGHUP] + (onOther == nil ? [] : [SIGUSR1, SIGUSR2]) { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    _ = try Thread(named: "signals") { [self, signals] in
      var signals = signals
      var number: Int32 = 0
      while true {
        guard sigwait(&signals, &number) == 0 else { continue }
        if number != SIGTERM, number != SIGINT, let onOther {
          onOther(number)
          continue
        }
        // Ends the process if something that does not respond keeps it from stopping: after twice the time for requests.
        alarm(60)
        state.withLock { $0.count += 1 }
        state.notifyAll()
        endIfDue()
      }
    }
  }

  /// Returns when a signal has come.
  func wait() {
    state.wait { $0.count > 0 ? () : nil }
  }

  /// Throws once a signal has come, so that a long command can clean up.
  func check() throws(OperationError) {
    if state.withLock({ $0.count > 0 }) { throw OperationError("Interrupted; nothing of it is left.") }
  }

  /// Ends the process at a signal: a second one means that the user does not want to wait.
  ///
  /// - Parameter cleanUp: removes what must not be left behind.
  func exit(at number: Int, status: Int32 = 1, after cleanUp: @escaping @Sendable () -> Void = {}) {
    state.withLock { $0.end = (number, status, cleanUp) }
    endIfDue()
  }

  private func endIfDue() {
    guard let end = state.withLock({ $0.count >= $0.end?.number ?? .max ? $0.end : nil }) else { return }
    end.cleanUp()
    // Other threads go on, so nothing of theirs is torn down.
    _exit(end.status)
  }
}
