import Glibc
import HTTPMessages
import HTTPServer
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieOperations
import SelfieTestControl
import SelfieTestDocuments

// Responds to all requests, with or without the control interface. `Runtime` opens the sockets.

/// Responds to requests: one application or, with the control interface, one for each world.
struct Backend {
  /// Responds to requests that name no world.
  let application: Application
  /// Nil if everything is kept in the storage folder.
  let cluster: ClusterStorage?
  /// Nil without the control interface.
  let worlds: Worlds?
  let pools = WorkerPools(cores: Server.coreCount)

  /// Opens the database and brings its schema up to date.
  ///
  /// - Parameters:
  ///   - cluster: the storage of a cluster; nil if everything is kept in the storage folder.
  ///   - storage: in a cluster, the folder of this process, for uploads under way.
  init(
    _ cluster: ClusterStorage?, storage: String, settings: APISettings, control: Control? = nil,
    memory: MemoryBudget = MemoryBudget(), logger: Logger
  ) throws {
    self.cluster = cluster
    let environment = ApplicationEnvironment(pools: pools, memory: memory, clock: unixMilliseconds, logger: logger)
    if let cluster {
      application = try Application(
        .shared(cluster.database, cluster.objects, sweepAfter: cluster.sweepAfter, folder: storage),
        settings: settings, in: environment)
      worlds = nil
    } else if let control {
      let makeWorld = { @Sendable [pools] (folder: String, name: String, isDurable: Bool) in
        try World(
          folder: folder, settings: settings, pools: pools, memory: memory, journalSize: control.journalSize,
          isDurable: isDurable, random: WorldRandom(seed: control.random, world: name), realTime: unixMilliseconds,
          logger: logger)
      }
      let main = try makeWorld(storage, "", !control.isEphemeral)
      application = main.application
      worlds = Worlds(main: main, access: control.access, pool: pools.disk, logger: logger) {
        try makeWorld(control.folder.makeFolder(), $0, false)
      }
    } else {
      application = try Application(.folder(storage), settings: settings, in: environment)
      worlds = nil
      // An earlier server with the control interface may have been killed before it removed its snapshots.
      StoredState.removeSnapshots(in: StorageLayout(folder: storage))
    }
    file?.upgrade.log(to: logger)
    if control?.isEphemeral != true, let upgrade = file?.upgrade, upgrade.copy == nil, !upgrade.steps.isEmpty {
      logger.notice("this storage is new and empty: there was no database")
    }
  }

  /// The database's file; nil in a cluster.
  var file: Database? { application.database.file }

  /// With the control interface, only reads of the main world share snapshots: an event loop shares those of one
  /// database, and the other worlds are for tests.
  ///
  /// - Parameter observers: are told of every request.
  func responder(observers: [@Sendable (RequestRecord) -> Void] = []) -> Responder {
    let tellAll = { @Sendable (request: RequestRecord) in
      for observer in observers { observer(request) }
    }
    let responseSent = observers.count > 1 ? tellAll : observers.first
    // Closures around one call each: a reference to a method would put several more calls between them.
    let reply: @Sendable (Request) -> Reply
    if let worlds {
      reply = { request in .later { await worlds.respond(request) } }
    } else {
      reply = { [application] in application.reply(to: $0) }
    }
    return Responder(
      reply: reply, refuse: application.refuse, endOfTurn: application.endOfTurn, responseSent: responseSent)
  }

  /// Refuses changes from now on, and shows the photos of another folder. There must be no photos here.
  func becomeReadOnly(photos: StorageLayout) throws {
    try Blocking.run { [file] in try await file?.write { try $0.refuseChanges() } }
    guard let layout = application.photos.bytes.layout, let path = FileSystem.realPath(photos.photos) else { return }
    rmdir(layout.photos)
    symlink(path, layout.photos)
  }

  /// Runs `body` for every application. An error in one does not keep `body` from the others.
  func forEach(_ body: (Application) async throws -> Void) async throws {
    if let worlds { try await worlds.forEach(body) } else { try await body(application) }
  }

  /// Finishes the work that waits, and closes the databases and the object store. No request may be under way. Blocks
  /// until then.
  func close() {
    pools.shutDown()
    if let worlds { worlds.close() } else { application.close() }
    cluster?.close()
  }
}

/// The parts of the control interface of a server. `Worlds` serves the interface.
struct Control {
  /// Whether the main world is ephemeral too.
  let isEphemeral: Bool
  /// The name and the password that clients of the control interface send, unless they need not.
  let credentials: Credentials
  /// Whether the credentials were made at this start.
  let areNew: Bool
  var access: ControlAccess
  /// How many requests each world keeps.
  let journalSize: Int
  /// The seed of ids and tokens; nil for the system's random numbers.
  let random: UInt64?
  /// Holds the storage of ephemeral worlds.
  let folder: EphemeralFolder

  /// Nil if the control interface is off.
  ///
  /// - Parameter random: the seed of ids and tokens, only for a server that keeps nothing.
  init?(_ settings: Settings, random: UInt64? = nil) throws {
    guard settings.hasControl else { return nil }
    self.random = random
    isEphemeral = settings.isEphemeral
    credentials = settings.controlCredentials ?? .random()
    areNew = settings.controlCredentials == nil
    access = ControlAccess(
      isEphemeral: isEphemeral,
      credentials: BasicCredentials(name: credentials.name, password: credentials.password),
      limitsGuesses: settings.rateLimit)
    journalSize = settings.journalSize
    folder = try EphemeralFolder()
  }
}

extension Server {
  /// Begins a fault of new connections in place of another; nil ends it.
  ///
  /// - Parameter certificate: that of the server; nil for plain HTTP.
  func begin(_ fault: ConnectionFault.Kind?, _ certificate: CertificateReload?) throws {
    if certificate == nil, let fault, fault != .refused {
      throw ConfigurationError(
        "The server speaks plain HTTP, so it has no certificate. Start it with TLS_CERTIFICATE and TLS_KEY.")
    }
    try certificate?.show(fault, on: self)
    try setAccepting(fault != .refused)
  }
}
