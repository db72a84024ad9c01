import Glibc
import Synchronization
import Platform

/// Ends a long command at SIGTERM or SIGINT, at a place where it can clean up; at the second one without that.
final class Interruption: Sendable {
  struct Interrupted: Error, CustomStringConvertible {
    var description: String { "Interrupted; nothing of it is left." }
  }

  private let hasCome = Atomic(false)

  /// Before there are any other threads.
  init() {
    let signals = TerminationSignals()
    _ = try? Thread(named: "signals") { [self] in
      signals.wait()
      hasCome.store(true, ordering: .relaxed)
      signals.wait()
      exit(1)
    }
  }

  /// Throws once a signal has come.
  func check() throws(Interrupted) {
    if hasCome.load(ordering: .relaxed) { throw Interrupted() }
  }
}
