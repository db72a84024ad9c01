import HTTPServer
import Logging
import SQLite
import SelfieAPI

/// The parts of the server, put together.
struct RunningServer {
  let credentials: Credentials
  let port: Int
  private let server: Server
  private let pools: WorkerPools
  private let site: Site
  private let logger: Logger
  private let getToken: GetTokenPolicy
  private let upkeep: [Task<Void, Never>]

  private static let pruningInterval = Duration.seconds(600)
  private static let digestingInterval = Duration.seconds(5)

  /// Takes the port, opens the database and brings it up to date. Nobody can connect before `start`.
  init(settings: Settings, control: Control?, storage: Storage, migrations: Migrations, logger: Logger) throws {
    pools = WorkerPools(cores: Server.coreCount)
    self.logger = logger
    getToken = settings.getToken
    let listener = try Listener(host: settings.host, port: settings.port)
    port = listener.port
    (site, credentials) = try Site.open(settings, control, storage, migrations, pools, logger)
    server = try Server(listener: listener, service: site.service)
    let site = site
    upkeep = [
      Self.repeating("prune", every: Self.pruningInterval, logger) { try await site.forEach { try await $0.prune() } },
      Self.repeating("note digests", every: Self.digestingInterval, logger) {
        try await site.forEach { try await $0.noteDigests() }
      },
    ]
  }

  private static func repeating(
    _ name: String, every interval: Duration, _ logger: Logger, _ work: @escaping @Sendable () async throws -> Void
  ) -> Task<Void, Never> {
    Task {
      while !Task.isCancelled {
        do {
          try await work()
        } catch {
          guard !Task.isCancelled else { break }
          logger.error("upkeep failed", metadata: ["work": "\(name)", "error": "\(error)"])
        }
        try? await Task.sleep(for: interval)
      }
    }
  }

  func start() throws {
    try server.start()
    logger.info("listening", metadata: ["port": "\(port)", "get_token": "\(getToken.rawValue)"])
    if getToken == .email {
      logger.notice(
        """
        get_token gives a token to whoever has the API password, which is in every copy of the app, and knows \
        a user's email address, as the original did. GET_TOKEN=password asks for the user's password; GET_TOKEN=off \
        switches it off.
        """)
    }
  }

  /// Finishes the requests under way, and what they have begun.
  func stop() {
    site.prepareToStop()
    server.stop()
    for task in upkeep { task.cancel() }
    pools.shutDown()
    site.close()
    logger.info("stopped")
  }
}
