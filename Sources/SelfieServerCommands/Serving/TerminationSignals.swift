import Glibc
import Platform

/// Waits for SIGTERM, SIGINT and SIGHUP in a thread, instead of handling them in whatever thread they interrupt.
struct TerminationSignals: Sendable {
  private let signals: sigset_t
  private let onHangup: (@Sendable () -> Void)?

  /// Blocks the signals in this thread and in all threads that it starts from now on.
  ///
  /// - Parameter onHangup: called at SIGHUP, which then ends nothing. If nil, SIGHUP is like the other two.
  init(onHangup: (@Sendable () -> Void)? = nil) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGHUP)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    self.signals = signals
    self.onHangup = onHangup
  }

  /// Returns when a signal has come.
  func wait() {
    var signals = signals
    while true {
      var number: Int32 = 0
      guard sigwait(&signals, &number) == 0 else { continue }
      guard number == SIGHUP, let onHangup else { return }
      onHangup()
    }
  }

  /// Whether a signal has come that ends the process. Does not wait.
  func haveCome() -> Bool {
    var signals = signals
    var none = timespec()
    let number = sigtimedwait(&signals, nil, &none)
    guard number == SIGHUP, let onHangup else { return number > 0 }
    onHangup()
    return false
  }

  /// Ends the process at the next signal: a second one means that the user does not want to wait.
  ///
  /// - Parameter cleanUp: removes what must not be left behind.
  func exitOnNext(after cleanUp: @escaping @Sendable () -> Void = {}) {
    let signals = self
    _ = try? Thread(named: "signals") {
      signals.wait()
      cleanUp()
      exit(1)
    }
  }
}
