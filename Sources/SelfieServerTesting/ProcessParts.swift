import Glibc
import HTTPServer
import Platform
import SelfieAPI
import SelfieTestControl

// The resources that all servers of a process share. They are made for the first server.
extension SelfieServer {
  static let pools = WorkerPools(cores: Server.coreCount)
  /// Starts and stops servers, which blocks and so must not happen on Swift's own few threads.
  static let starting = WorkerPool(name: "servers", threads: 8, waiting: 1_000_000)

  /// The folder for the storage of all servers. It is removed when the process exits or, if that fails, when the next
  /// process makes its own.
  static let folder: Result<EphemeralFolder, any Error> = Result {
    ignoreBrokenPipes()
    try raiseDescriptorLimit()
    let folder = try EphemeralFolder()
    atexit { try? SelfieServer.folder.get().remove() }
    return folder
  }

  /// Lets sendfile(2) to a client that has disconnected fail instead of ending the process. A signal handler that the
  /// process has set itself stays.
  private static func ignoreBrokenPipes() {
    var action = sigaction()
    guard sigaction(SIGPIPE, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    signal(SIGPIPE, SIG_IGN)
  }
}
