import Logging
import Platform
import SelfieOperations

/// The two ways to a server for its owner: the page, and the commands' socket.
final class OwnerAccess {
  let page: OwnerPage
  let console: OwnerConsole
  private let storage: String
  private var server: OwnerServer?

  init(_ backend: Backend, storage: String, _ settings: Settings, port: Int, backups: ScheduledBackups?) {
    let running = RunningServer(
      startedAt: unixMilliseconds(), backups: backups, settings: settings.shown,
      sessions: OwnerSessions(address: settings.ownerURL(port: port)))
    self.storage = storage
    console = OwnerConsole(backend.application, version: version, server: running)
    page = OwnerPage(console, of: running)
  }

  func start(logger: Logger) {
    server = OwnerServer(storage: storage, console: console, logger: logger)
  }

  func stop() {
    server?.stop()
  }
}
