import CLinux
import Glibc
import Platform
import SelfieOperations

// The signals that end the process. `Runtime` stops the server.

/// Takes signals in a thread, instead of handling them in whatever thread they interrupt.
final class TerminationSignals: Sendable {
  /// How many signals have come; and the number of the one that ends the process at once, with what it does before.
  private let state = Monitor<(count: Int, end: (number: Int, status: Int32, cleanUp: @Sendable () -> Void)?)>((0, nil))

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

/// Sends this process SIGTERM as soon as its parent has ended, in whatever way.
///
/// A descriptor of the process shows when (pidfd_open(2)). The signal of prctl(2) would come too early if the parent has
/// threads: when the thread ends that started this process.
///
/// - Parameter pid: the parent's pid if the parent gave it. A parent that has ended already cannot be told from the process
///   that the system put in its place.
func endWithParent(pid: pid_t?) throws {
  let descriptor = clinux_pidfd_open(pid ?? getppid())
  guard descriptor >= 0 else {
    throw ConfigurationError(
      "--exit-with-parent: the parent process cannot be watched: \(String(cString: strerror(errno))).")
  }
  _ = try Thread(named: "parent") {
    var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while poll(&watched, 1, -1) < 0 && errno == EINTR {}
    kill(getpid(), SIGTERM)
  }
}
