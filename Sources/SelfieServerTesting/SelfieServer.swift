public import Foundation

// Finds or starts a test's server. `ServerProcess` has its process, and SelfieServer+State.swift its data.

/// A server that runs beside the test, empty at first, with a clock that the test can set.
///
/// ```swift
/// try await SelfieServer.run { server in
///   let client = MyClient(baseURL: server.baseURL, authName: server.apiAuthName, authPassword: server.apiAuthPassword)
///   …
///   try await server.clock.advance(by: .seconds(25 * 3600))
/// }
/// ```
///
/// Each `run` starts a server on a port of its own, which keeps nothing and ends with the test, even if that crashes. With
/// `SELFIE_URL` in the environment, it uses a world of its own of the server there, so the app must send ``headers``.
public final class SelfieServer: Sendable {
  /// The address of the server, such as `http://127.0.0.1:40123`.
  public let url: URL
  /// The name of the API, `API_AUTH_NAME` in the app.
  public let apiAuthName: String
  /// The password of the API, `API_AUTH_PASSWORD` in the app.
  public let apiAuthPassword: String
  /// The world of the server whose data this is; nil for the main one.
  public let world: String?

  let control: ControlClient
  /// Nil if the server was started elsewhere.
  private let process: ServerProcess?

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
    try await start(configuration, in: ProcessInfo.processInfo.environment)
  }

  static func start(_ configuration: Configuration, in environment: [String: String]) async throws -> SelfieServer {
    if let address = environment["SELFIE_URL"] {
      return try SelfieServer(at: address, environment, process: nil, world: UUID().uuidString)
    }
    let process = try await ServerProcess.start(configuration.environment, in: environment)
    return try SelfieServer(at: process.address, process.environment, process: process, world: nil)
  }

  /// - Parameter environment: has the credentials, unless they are those of `serve --ephemeral`.
  private init(at address: String, _ environment: [String: String], process: ServerProcess?, world: String?) throws {
    guard let url = URL(string: address) else {
      throw ControlError(
        status: nil, message: "SELFIE_URL is \(address), but it must be an address such as http://localhost:3000.")
    }
    self.url = url
    apiAuthName = environment["API_AUTH_NAME"] ?? "selfie-tests"
    apiAuthPassword =
      environment["API_AUTH_PASSWORD"] ?? "0000000000000000selfie0server0ephemeral0password0000000000000000"
    control = ControlClient(url: url, credentials: environment["CONTROL_CREDENTIALS"], world: world)
    (self.process, self.world) = (process, world)
  }

  private init(world: String, of server: SelfieServer) {
    (url, apiAuthName, apiAuthPassword) = (server.url, server.apiAuthName, server.apiAuthPassword)
    control = ControlClient(url: url, credentials: server.control.credentials, world: world)
    (process, self.world) = (server.process, world)
  }

  /// The same server with its own data, faults, requests and clock, for tests that share a server. The app must send
  /// ``headers``.
  public func world(_ name: String) -> SelfieServer { SelfieServer(world: name, of: self) }

  /// Stops the server, which finishes or drops the requests in flight. Of a world, or of a server that was started
  /// elsewhere, only the world ends.
  public func stop() async {
    if let process, world == nil { return await process.stop() }
    try? await removeWorld()
  }

  /// The port of the server.
  public var port: Int { url.port ?? 80 }

  /// The address of the API, `BASE_URL` in the app.
  public var baseURL: URL { url.appendingPathComponent("api") }

  /// A password as the app sends it: encrypted with the API's password.
  public func encrypted(_ password: String) -> String { AES256(password: apiAuthPassword).encrypt(password) }
}

extension SelfieServer {
  /// The settings of a server that the test starts.
  public struct Configuration: Sendable {
    /// The name of the API, `API_AUTH_NAME` in the app.
    public var apiAuthName: String?
    /// The password of the API, `API_AUTH_PASSWORD` in the app.
    public var apiAuthPassword: String?
    /// The port to listen on; 0 for any free port.
    public var port = 0
    /// Other settings by the names of Docs/Settings.md: `["TOKEN_LIFETIME": "1h"]`.
    public var settings: [String: String] = [:]

    public init() {}

    var environment: [String: String] {
      var environment = ["LOG_LEVEL": "warning", "PORT": "\(port)"].merging(settings) { $1 }
      if let apiAuthName { environment["API_AUTH_NAME"] = apiAuthName }
      if let apiAuthPassword { environment["API_AUTH_PASSWORD"] = apiAuthPassword }
      return environment
    }
  }
}
