package import Cryptography
import HTTPMessages
package import Logging
package import Platform
package import SQL
package import SQLite

/// The product: stores, rules and limits, as every endpoint gets them. `Server` in HTTPServer opens the sockets, and
/// Routes.swift in Endpoints lists the endpoints.
package final class Application: Sendable {
  package let settings: APISettings
  package let users: UserStore
  package let tokens: TokenStore
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
  let refusalDelay: Duration
  let logger: Logger
  package let securityLog: SecurityLog

  /// - Parameters:
  ///   - photos: in the same database.
  ///   - hashing: hashes passwords.
  ///   - lists: makes long lists.
  ///   - parsing: parses long bodies.
  ///   - memory: counts what clients hold.
  ///   - clock: the time in unix milliseconds; every rule about time follows it.
  ///   - elapsed: monotonic milliseconds, for limits on what clients do within a time; the system's if nil.
  ///   - uptime: a time in milliseconds that no test sets, for what concerns this machine and not the API; the system's
  ///     if nil.
  ///   - refusalDelay: how long a client waits for a refusal, which asks it to try again later.
  package init(
    settings: APISettings, database: ApplicationDatabase, photos: PhotoLibrary, hashing: WorkerPool,
    lists: WorkerPool, parsing: WorkerPool, memory: MemoryBudget = MemoryBudget(), random: RandomSource = .system,
    clock: @escaping @Sendable () -> Int64, elapsed: (@Sendable () -> Int64)? = nil,
    uptime: (@Sendable () -> Int64)? = nil, refusalDelay: Duration = .seconds(1), logger: Logger
  ) {
    self.settings = settings
    self.database = database
    self.random = random
    self.clock = clock
    self.refusalDelay = refusalDelay
    self.logger = logger
    securityLog = SecurityLog(logger: logger, proxies: settings.trustedProxies)
    users = UserStore(database: database)
    tokens = TokenStore(database: database, policy: RefreshPolicy(seconds: settings.refreshLifetime))
    self.photos = photos
    verifiedCredentials = VerifiedCredentials(random: random)
    notes = NoteStore(database: database)
    microblogUsers = MicroblogUserStore(database: database)
    microblogSessions = MicroblogSessionStore(database: database, lifetime: settings.sessionLifetime * 1000)
    blogposts = BlogpostStore(database: database)
    keptLists = ReadCache(of: database, maxBytes: 16 * 1024 * 1024)
    keptDownloads = ReadCache(of: database, maxBytes: 4 * 1024 * 1024)
    self.lists = lists
    self.parsing = parsing
    self.memory = memory
    limits = AttemptLimits(
      limitsFailures: settings.limitsFailures, limitsSignups: settings.limitsSignups, log: securityLog,
      clock: elapsed ?? monotonicMilliseconds)
    let keys = [settings.authPassword, settings.previousAuthPassword].compactMap(\.self)
    passwords = Passwords(
      keys: keys.map { APIPassword($0, name: settings.authName) }, cost: settings.passwordCost, pool: hashing)
    readiness = Readiness(
      photos: photos, database: database, maxPhotoBytes: settings.maxPhotoBytes,
      clock: uptime ?? monotonicMilliseconds, logger: logger)
  }

  /// Forgets the wrong passwords that were tried for a user.
  package func forgetFailures(of user: User) {
    limits.forget(.account(.user(user.id)))
  }
}

extension Application {
  /// Opens the database in `folder`, brings its schema up to date, and repairs what a crash left of the photos.
  ///
  /// - Parameters:
  ///   - folder: must exist, and no other process may use it.
  ///   - memory: counts what clients hold. All applications of a process and its HTTP server share one.
  ///   - isDurable: whether what is acknowledged is on the disk. If false, nothing is ever synced, for storage that need
  ///     not outlive the process.
  ///   - clock: the time in Unix milliseconds, for every rule about time but limits on what clients do within a time.
  ///   - elapsed: monotonic milliseconds, for those limits; the system's if nil.
  /// - Returns: the database's file as well, for what only a file can do, such as backups.
  package static func open(
    folder: String, settings: APISettings, pools: WorkerPools,
    memory: MemoryBudget = MemoryBudget(), isDurable: Bool = true,
    clock: @escaping @Sendable () -> Int64, elapsed: (@Sendable () -> Int64)? = nil, logger: Logger
  ) throws -> (application: Application, file: Database) {
    let layout = StorageLayout(folder: folder)
    let reserve = isDurable ? DiskReserve(path: layout.reserve, byteCount: Readiness.roomForDatabase) : nil
    let openDatabase = {
      try layout.openDatabase(now: clock(), keepsCopy: isDurable, isDurable: isDurable, reserve: reserve)
    }
    let database: Database
    do {
      database = try openDatabase()
    } catch let error as SQLiteError where error.isDiskFull {
      // A client that wants to make room needs a server that starts.
      guard let reserve else { throw error }
      database = try reserve.spend(openDatabase)
    }
    let photos = try PhotoLibrary(
      database: database, storage: folder, isDurable: isDurable, reserve: reserve, pool: pools.disk,
      background: pools.background, logger: logger)
    reserve?.renew()
    let application = Application(
      settings: settings, database: .file(database), photos: photos, hashing: pools.hashing, lists: pools.lists,
      parsing: pools.parsing, memory: memory, clock: clock, elapsed: elapsed, logger: logger)
    return (application, database)
  }

  /// Opens what the processes of a cluster share. The database's schema must be up to date.
  ///
  /// - Parameters:
  ///   - sweepAfter: the seconds after which nothing of an upload can be under way any more.
  ///   - folder: for uploads under way. It must exist, and no other process may use it.
  ///   - memory: as above.
  ///   - clock: as above. The rows that processes write are compared by it, so the clocks of their machines must agree.
  ///   - elapsed: as above.
  package static func open(
    shared: any SharedDatabase, objects: any PhotoObjects, sweepAfter: Int, folder: String, settings: APISettings,
    pools: WorkerPools, memory: MemoryBudget = MemoryBudget(), clock: @escaping @Sendable () -> Int64,
    elapsed: (@Sendable () -> Int64)? = nil, logger: Logger
  ) throws -> Application {
    let photos = try PhotoLibrary(
      database: shared, objects: objects, storage: folder, sweepAfter: sweepAfter, pool: pools.disk, logger: logger)
    return Application(
      settings: settings, database: .shared(shared), photos: photos, hashing: pools.hashing, lists: pools.lists,
      parsing: pools.parsing, memory: memory, clock: clock, elapsed: elapsed, logger: logger)
  }

  /// Finishes the writes that were accepted, then closes the database. Blocks until then.
  package func close() {
    database.close()
  }
}
