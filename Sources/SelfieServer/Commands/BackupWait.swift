import Glibc
import SelfieOperations

/// Waits for another backup to end, and says so once.
final class BackupWait {
  private static let microseconds: UInt32 = 500_000
  private let signals: TerminationSignals
  private var isTold = false

  init(_ signals: TerminationSignals) {
    self.signals = signals
  }

  func wait(for folder: String) throws {
    if !isTold {
      Terminal.writeLines("Another backup into \(folder) is in progress. Waiting for it to finish.", to: STDERR_FILENO)
    }
    isTold = true
    usleep(Self.microseconds)
    try signals.check()
  }
}
