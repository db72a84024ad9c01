import Glibc
import HTTPServer
import SelfieAPI
import SelfieControl
import Platform

/// What all servers of a process have in common, made for the first of them.
enum ProcessParts {
  /// Where passwords are hashed, and the disk is waited for.
  static let pools = WorkerPools(cores: Server.coreCount)
  /// Where servers are started and stopped, which blocks: Swift's own few threads must not.
  static let starting = WorkerPool(name: "servers", threads: 8, waiting: 1_000_000)

  /// In memory, and gone with the process, or at the latest when the next one makes its own.
  static func folder() throws -> EphemeralFolder { try madeFolder.get() }

  private static let madeFolder: Result<EphemeralFolder, any Error> = {
    ignoreBrokenPipes()
    DescriptorLimit.raise()
    return Result {
      let folder = try EphemeralFolder()
      atexit { try? ProcessParts.folder().remove() }
      return folder
    }
  }()

  /// sendfile(2) to a client that has gone must be an error, and not the end of the process (as everywhere, Foundation's
  /// networking included). Who has set something else knows why.
  private static func ignoreBrokenPipes() {
    var action = sigaction()
    guard sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGPIPE, SIG_IGN)
  }
}
