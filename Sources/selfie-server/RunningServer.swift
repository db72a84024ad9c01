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
  private let listing: WorkerPool
  private let filing: WorkerPool
  private let logger: Logger
  private let getToken: GetTokenPolicy
  private let background: WorkerPool
  private let upkeep: [Task<Void, Never>]

  /// Sign-ins that may wait for a core: at a quarter of a second each, more would wait too long.
  private static let mostWaitingHashes = 256
  /// Uploads that wait for the disk at the same moment, so that it can serve them together.
  private static let filingThreads = 16
  private static let mostWaitingFiles = 4096
  /// Long lists that may wait for a core: at ten milliseconds for ten thousand photos, the work of seconds.
  private static let mostWaitingLists = 256
  /// Enough for short answers to go first.
  private static let listingNiceness = 5
  private static let pruningInterval = Duration.seconds(600)
  private static let digestingInterval = Duration.seconds(5)
  /// How far what nobody waits for lets the rest go first: with as many requests as cores it gets a tenth of one.
  private static let backgroundNiceness = 10

  /// Takes the port, opens the database and brings it up to date. Nobody can connect before `start`.
  init(settings: Settings, storage: Storage, migrations: Migrations, logger: Logger) throws {
    hashing = WorkerPool(
      // A hash takes a quarter of a second, an answer microseconds: the hash can wait that long.
      name: "bcrypt", niceness: Self.backgroundNiceness, threads: Server.coreCount, waiting: Self.mostWaitingHashes)
    filing = WorkerPool(name: "files", threads: Self.filingThreads, waiting: Self.mostWaitingFiles)
    listing = WorkerPool(
      name: "lists", niceness: Self.listingNiceness, threads: Server.coreCount, waiting: Self.mostWaitingLists)
    background = WorkerPool(name: "background", niceness: Self.backgroundNiceness, threads: 1, waiting: 16)
    self.logger = logger
    getToken = settings.getToken

    let listener = try Listener(host: settings.host, port: settings.port)
    port = listener.port
    database = try Database(
      path: Storage.databasePath(in: storage.path), migrations: migrations, now: Self.unixMilliseconds())
    database.upgrade.log(to: logger)
    let photos = try PhotoLibrary(
      database: database, storage: storage.path, lane: filing, background: background, logger: logger)
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
      hashing: hashing, listing: listing, clock: Self.unixMilliseconds, logger: logger)
    server = try Server(
      listener: listener,
      service: Service(respond: application.respond, refuse: application.refuse, turn: application.turn))
    upkeep = [
      Self.repeating("prune", every: Self.pruningInterval, logger, application.prune),
      Self.repeating("note digests", every: Self.digestingInterval, logger, application.noteDigests),
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
    server.stop()
    for task in upkeep { task.cancel() }
    background.shutDown()
    hashing.shutDown()
    listing.shutDown()
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

extension Upgrade {
  /// Says what was done, if anything was done to a database with data in it.
  func log(to logger: Logger) {
    guard let copy else { return }
    logger.notice(
      "the database was brought up to date, and copied before",
      metadata: ["migrations": "\(steps.joined(separator: " "))", "copy": "\(copy)"])
  }
}
