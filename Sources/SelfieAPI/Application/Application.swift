package import Cryptography
import HTTPMessages
import Logging
package import Platform
import SQL
import SQLite

/// The product: stores, rules and limits, as every endpoint gets them. `Server` in HTTPServer opens the sockets, and
/// Routes.swift in Endpoints lists the endpoints.
package final class Application: Sendable {
  package let settings: APISettings
  package let users: UserStore
  package let accounts: Accounts
  package let tokens: TokenStore
  package let tokenIssuer: TokenIssuer
  package let photos: PhotoLibrary
  package let passwords: Passwords
  package let limits: AttemptLimits
  let verifiedCredentials: VerifiedCredentials
  let notes: NoteStore
  let microblogUsers: MicroblogUserStore
  let microblogSessions: MicroblogSessionStore
  let blogposts: BlogpostStore
  /// Makes long lists, and does what else would hold up an event loop.
  package let lists: WorkerPool
  let parsing: WorkerPool
  /// Counts what clients hold.
  package let memory: MemoryBudget
  let keptLists: ReadCache<KeptPhotoList>
  let keptDownloads: ReadCache<PhotoStore.Download>
  let readiness: Readiness
  package let activity = ActivityCounters()
  package let random: RandomSource
  /// Unix milliseconds.
  package let clock: @Sendable () -> Int64
  package let database: ApplicationDatabase
  let requestIDs = RequestIDs()
  /// Called once, when an app has sent the API's name and password.
  let apiPasswordSent = Monitor<(@Sendable () -> Void)?>(nil)
  /// The work that no request starts.
  package let upkeep: Upkeep
  let refusalDelay: Duration
  let logger: Logger
  package let securityLog: SecurityLog

  /// - Parameter photos: in the same database.
  package init(
    settings: APISettings, database: ApplicationDatabase, photos: PhotoLibrary, in environment: ApplicationEnvironment
  ) {
    self.settings = settings
    self.database = database
    self.photos = photos
    random = environment.random
    clock = environment.clock
    refusalDelay = environment.refusalDelay
    logger = environment.logger
    securityLog = SecurityLog(logger: logger, proxies: settings.trustedProxies)
    users = UserStore(database: database)
    accounts = Accounts(users: users, clock: clock)
    tokens = TokenStore(database: database, policy: RefreshPolicy(seconds: settings.refreshLifetime))
    tokenIssuer = TokenIssuer(random: random, clock: clock, lifetime: settings.tokenLifetime)
    verifiedCredentials = VerifiedCredentials(random: random)
    notes = NoteStore(database: database)
    microblogUsers = MicroblogUserStore(database: database)
    microblogSessions = MicroblogSessionStore(database: database, lifetime: settings.sessionLifetime * 1000)
    blogposts = BlogpostStore(database: database)
    keptLists = ReadCache(of: database, maxBytes: 16 * 1024 * 1024)
    keptDownloads = ReadCache(of: database, maxBytes: 4 * 1024 * 1024)
    lists = environment.pools.lists
    parsing = environment.pools.parsing
    memory = environment.memory
    limits = AttemptLimits(
      limitsFailures: settings.limitsFailures, limitsSignups: settings.limitsSignups, log: securityLog,
      clock: environment.elapsed)
    let keys = [settings.authPassword, settings.previousAuthPassword].compactMap(\.self)
    passwords = Passwords(
      keys: keys.map { APIPassword($0, name: settings.authName) }, cost: settings.passwordCost,
      pool: environment.pools.hashing)
    upkeep = Upkeep(
      database: database, tokens: tokens, microblogSessions: microblogSessions, photos: photos, clock: clock,
      logger: logger)
    readiness = Readiness(
      photos: photos, database: database, maxPhotoBytes: settings.maxPhotoBytes, clock: environment.uptime,
      logger: logger)
  }

  /// Calls `body` on a thread that may block, once an app has sent the API's name and password.
  package func whenAPIPasswordIsSent(_ body: @escaping @Sendable () -> Void) {
    apiPasswordSent.withLock { $0 = body }
  }

  /// Forgets the wrong passwords that were tried for a user.
  package func forgetFailures(of user: User) {
    limits.forget(.account(.user(user.id)))
  }
}

extension Application {
  /// Opens a storage. Of one in a folder, it brings the database's schema up to date, and repairs what a crash left of the
  /// photos.
  package convenience init(
    _ storage: ApplicationStorage, settings: APISettings, in environment: ApplicationEnvironment
  ) throws {
    let opened = try storage.open(in: environment)
    self.init(settings: settings, database: opened.database, photos: opened.photos, in: environment)
  }

  /// Finishes the writes that were accepted, then closes the database. Blocks until then.
  package func close() {
    database.close()
  }
}
