import Glibc
import Platform
import Synchronization

/// Lets a long command end at SIGTERM, SIGINT or SIGHUP where it can clean up. A second signal ends it at once.
final class Interruption: Sendable {
  struct Interrupted: Error, CustomStringConvertible {
    var description: String { "Interrupted; nothing of it is left." }
  }

  private let hasCome = Atomic(false)

  /// Must be called before there are other threads, so that they inherit the blocked signals.
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
