import HTTPServer
import Logging
import Platform
import SQLite
import SelfieAPI
import SelfieControl

/// What a server answers with: one application, or, with the control interface, as many as tests want.
enum Site {
  case application(StoredApplication)
  case worlds(Worlds)

  /// Opens what is stored.
  ///
  /// - Returns: also the credentials of its clients, which are made last, when nothing else can fail: new ones are
  ///   shown once only.
  static func open(
    _ settings: Settings, _ control: Control?, _ storage: Storage, _ migrations: Migrations, _ pools: WorkerPools,
    _ logger: Logger
  ) throws -> (Site, Credentials) {
    var credentials: Credentials?
    func api() throws -> APISettings {
      let made = try credentials ?? storage.credentials(chosen: settings.credentials)
      credentials = made
      return settings.api(made)
    }
    let site: Site
    if let control {
      let main = try World(
        folder: storage.path, settings: try api(), migrations: migrations, pools: pools,
        durability: control.isEphemeral ? .none : .durable, realTime: unixMilliseconds, logger: logger)
      main.upgrade.log(to: logger)
      let api = try api()
      let folder = control.folder
      site = .worlds(
        Worlds(main: main, lane: pools.disk, logger: logger) { name in
          try World(
            name: name, folder: try folder.makeFolder(), settings: api, migrations: migrations, pools: pools,
            realTime: unixMilliseconds, logger: logger)
        })
    } else {
      let stored = try StoredApplication(
        folder: storage.path, settings: try api(), migrations: migrations, pools: pools, clock: unixMilliseconds,
        logger: logger)
      // A server with the control interface may have been killed here.
      PhotoContents.removeAll(storage: storage.path)
      stored.upgrade.log(to: logger)
      site = .application(stored)
    }
    return (site, try credentials ?? storage.credentials(chosen: settings.credentials))
  }

  var service: Service {
    let main = main
    switch self {
    case .application: return Service(respond: main.respond, refuse: main.refuse, turn: main.turn)
    case .worlds(let worlds): return Service(respond: worlds.respond, refuse: main.refuse, turn: main.turn)
    }
  }

  /// Runs `body` for every application, whatever goes wrong in another.
  func forEach(_ body: (Application) async throws -> Void) async throws {
    switch self {
    case .application(let stored): try await body(stored.application)
    case .worlds(let worlds): try await worlds.forEach(body)
    }
  }

  /// The server is about to stop: nothing that tests have set up must hold up a request any more.
  func prepareToStop() {
    guard case .worlds(let worlds) = self else { return }
    worlds.removeFaults()
    worlds.endWaiting()
  }

  /// Closes what is stored. No request may be under way. Blocks meanwhile.
  func close() {
    switch self {
    case .application(let stored): stored.close()
    case .worlds(let worlds): worlds.close()
    }
  }

  private var main: Application {
    switch self {
    case .application(let stored): stored.application
    case .worlds(let worlds): worlds.main.application
    }
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
