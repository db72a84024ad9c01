import Glibc
import Platform

/// Waits for SIGTERM and SIGINT in a thread, instead of handling them in whatever thread they interrupt.
struct TerminationSignals {
  private let signals: sigset_t

  /// Blocks the signals in this thread and in all threads that it starts from now on.
  init() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    self.signals = signals
  }

  /// Returns when a signal has come.
  func wait() {
    var signals = signals
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
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
