import Cryptography
import Foundation
import HTTPServer
import Logging
import Platform
import SelfieAPI
import SelfieTestControl
import SelfieTestDocuments

/// The real server in the process of a test, empty at first, with a clock that the test can set.
///
/// ```swift
/// try await SelfieServer.run { server in
///   let client = MyClient(baseURL: server.baseURL, authName: server.apiAuthName, authPassword: server.apiAuthPassword)
///   …
///   server.clock.advance(by: .seconds(25 * 3600))
/// }
/// ```
///
/// Any number of servers can run side by side. Each has its own storage, in memory where the machine has such a place,
/// and removes it at the end.
public final class SelfieServer: Sendable {
  public let port: Int
  /// The address of the server: `http://127.0.0.1:PORT`.
  public let url: URL
  /// The name of the API, `API_AUTH_NAME` in the app.
  public let apiAuthName: String
  /// The password of the API, `API_AUTH_PASSWORD` in the app.
  public let apiAuthPassword: String
  /// The folder of the database and the photos, which a test may inspect or damage. It exists while the server runs.
  public let storage: String
  /// The clock of this server.
  public var clock: WorldClock { worlds.main.clock }
  /// The faults that this server injects.
  public var faults: FaultRules { worlds.main.faults }
  /// The requests to this server and its responses.
  public var requests: Journal { worlds.main.journal }

  let worlds: Worlds
  /// Stops the server; nil once it is called.
  private let stopping: Monitor<(@Sendable () -> Void)?>

  /// Starts a server, runs `body` with it, and stops it when `body` returns or throws.
  public static func run<Result>(
    _ configuration: Configuration = Configuration(), _ body: (SelfieServer) async throws -> Result
  ) async throws -> Result {
    let server = try await start(configuration)
    let result: Result
    do {
      result = try await body(server)
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
    return result
  }

  /// Starts a server that runs until ``stop()``, for XCTest's `setUp` and `tearDown`.
  public static func start(_ configuration: Configuration = Configuration()) async throws -> SelfieServer {
    try await Self.starting.run { try SelfieServer(configuration) }
  }

  private init(_ configuration: Configuration) throws {
    let (pools, folder, logger) = (Self.pools, try Self.folder.get(), configuration.logger)
    let settings = configuration.api
    let makeWorld = { @Sendable (folder: String) in
      try World(folder: folder, settings: settings, pools: pools, realTime: unixMilliseconds, logger: logger)
    }
    let listener = try Listener(host: "127.0.0.1", port: configuration.port)
    guard let url = URL(string: "http://127.0.0.1:\(listener.port)") else { throw CocoaError(.formatting) }
    self.url = url
    var limits = Limits()
    limits.drainTimeout = configuration.drain.milliseconds.clamped(to: 0...3_600_000)
    storage = try folder.makeFolder()
    let main = try makeWorld(storage)
    worlds = Worlds(main: main, access: .inProcess, pool: pools.disk, logger: logger) {
      try makeWorld(folder.makeFolder())
    }
    do {
      let responder = Responder(
        respond: worlds.respond, refuse: main.application.refuse, endOfTurn: main.application.endOfTurn,
        responseSent: Self.log(to: logger))
      let server = try Server(listener: listener, loopCount: 1, limits: limits, responder: responder)
      try server.start()
      stopping = Monitor { [worlds] in
        worlds.endDelays()
        server.stop()
        worlds.close()
      }
    } catch {
      worlds.close()
      throw error
    }
    port = listener.port
    apiAuthName = configuration.apiAuthName
    apiAuthPassword = configuration.apiAuthPassword
  }

  /// The route's pattern instead of the path, since a photo's id is a secret.
  private static func log(to logger: Logger) -> (@Sendable (RequestRecord) -> Void)? {
    guard logger.logLevel <= .debug else { return nil }
    return { exchange in
      let (facts, status) = (exchange.facts, exchange.status.map { "\($0.code)" } ?? "aborted")
      logger.debug(
        "\(exchange.method?.name ?? "?") \(facts.route ?? "unknown") \(status)",
        metadata: [
          "request_id": "\(String(decoding: facts.requestID, as: UTF8.self))",
          "milliseconds": .stringConvertible(exchange.nanoseconds / 1_000_000),
        ])
    }
  }

  /// Stops the server, which finishes or drops the requests in flight.
  public func stop() async {
    if let stop = stopping.withLock({ $0.take() }) { try? await Self.starting.run(stop) }
  }

  deinit {
    if let stop = stopping.withLock({ $0.take() }) { _ = Self.starting.submit(stop) }
  }

  /// The address of the API, `BASE_URL` in the app.
  public var baseURL: URL { url.appending(path: "api") }

  /// A password as the app sends it: encrypted with the API's password.
  public func encrypted(_ password: String) -> String {
    AESCrypt(password: Array(apiAuthPassword.utf8)).encrypt(Array(password.utf8))
  }
}
