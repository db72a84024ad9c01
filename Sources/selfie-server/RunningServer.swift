import Glibc
import HTTPServer
import Logging
import SQLite
import SelfieAPI
import Workers

/// The parts of the server, put together.
struct RunningServer {
  let credentials: Credentials
  let port: Int
  private let server: Server
  private let database: Database
  private let hashing: WorkerPool
  private let filing: WorkerPool
  private let logger: Logger
  private let getToken: GetTokenPolicy
  private let pruning: Task<Void, Never>

  /// Sign-ins that may wait for a core: at a quarter of a second each, more would wait too long.
  private static let mostWaitingHashes = 256
  /// Uploads that wait for the disk at the same moment, so that it can serve them together.
  private static let filingThreads = 16
  private static let mostWaitingFiles = 4096
  private static let pruningInterval = Duration.seconds(600)

  /// Takes the port, opens the database and brings it up to date. Nobody can connect before `start`.
  init(settings: Settings, storage: Storage, migrations: Migrations, logger: Logger) throws {
    hashing = WorkerPool(name: "bcrypt", threads: Server.coreCount, waiting: Self.mostWaitingHashes)
    filing = WorkerPool(name: "files", threads: Self.filingThreads, waiting: Self.mostWaitingFiles)
    self.logger = logger
    getToken = settings.getToken

    let listener = try Listener(host: settings.host, port: settings.port)
    port = listener.port
    database = try Database(
      path: Storage.databasePath(in: storage.path), migrations: migrations, now: Self.unixMilliseconds())
    let photos = try PhotoLibrary(database: database, storage: storage.path, lane: filing, logger: logger)
    // Last, when nothing else can fail: new ones are shown once only.
    credentials = try storage.credentials(chosen: settings.credentials)

    var api = APISettings(authName: credentials.name, authPassword: credentials.password)
    api.publicURL = settings.publicURL
    api.getToken = settings.getToken
    api.tokenLifetime = settings.tokenLifetime
    api.passwordCost = settings.passwordCost
    api.limitsFailures = settings.limitsFailures
    api.trustedProxies = settings.trustedProxies
    api.maximumPhotoBytes = settings.maxPhotoBytes
    let application = Application(
      settings: api, database: database, photos: photos,
      hashing: hashing, clock: Self.unixMilliseconds, logger: logger)
    server = try Server(
      listener: listener,
      service: Service(respond: application.respond, refuse: application.refuse, turn: application.turn))
    pruning = Task {
      while !Task.isCancelled {
        do {
          try await application.prune()
        } catch {
          guard !Task.isCancelled else { break }
          logger.error("expired tokens and deleted photos could not be removed", metadata: ["error": "\(error)"])
        }
        try? await Task.sleep(for: Self.pruningInterval)
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
    server.stop()
    pruning.cancel()
    hashing.shutDown()
    filing.shutDown()
    database.close()
    logger.info("stopped")
  }

  static func unixMilliseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
  }
}
