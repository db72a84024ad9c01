import Glibc
import Platform

/// SIGTERM and SIGINT, taken by a thread that waits for them instead of a handler that interrupts any.
struct TerminationSignals {
  private let signals: sigset_t

  /// Holds them back in this thread and in all that it starts.
  init() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGINT)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    self.signals = signals
  }

  /// Returns when one has come.
  func wait() {
    var signals = signals
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
  }

  /// Whoever asks a second time does not want to wait.
  ///
  /// - Parameter cleanUp: what must not stay.
  func exitOnNext(after cleanUp: @escaping @Sendable () -> Void = {}) {
    let signals = self
    _ = try? Thread(named: "signals") {
      signals.wait()
      cleanUp()
      exit(1)
    }
  }
}
