public import Foundation
import SelfieTestDocuments

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
  /// Failed checks that no test has reported yet.
  let failures: UnreportedFailures
  /// Nil if the server was started elsewhere.
  private let process: ServerProcess?

  /// Starts a server, runs `body` with it, and stops it when `body` returns or throws. A check that fails in a detached
  /// task of `body`, or in a callback, fails the test when `body` returns.
  @discardableResult
  public static func run<Result>(
    _ configuration: Configuration = Configuration(), _ body: (SelfieServer) async throws -> Result
  ) async throws -> Result {
    let server = try await start(configuration)
    server.failures.collect()
    let result: Result
    do {
      result = try await body(server)
    } catch {
      await server.end()
      let reported = server.failures.report()
      // `body` has passed on what a detached task threw.
      if error is ExchangeMismatch, let reported { throw reported }
      throw error
    }
    await server.end()
    server.failures.report()
    return result
  }

  /// Starts a server that runs until ``stop()``, for XCTest's `setUp` and `tearDown`. In Swift Testing, a check that fails in
  /// a detached task fails the test when it calls ``stop()``.
  public static func start(_ configuration: Configuration = Configuration()) async throws -> SelfieServer {
    let server = try await start(configuration, in: ProcessInfo.processInfo.environment)
    server.failures.collectInTest()
    return server
  }

  static func start(_ configuration: Configuration, in environment: [String: String]) async throws -> SelfieServer {
    if let address = environment["SELFIE_URL"], !address.isEmpty {
      try configuration.requireDefaults()
      return try SelfieServer(
        at: address, control: environment["SELFIE_CONTROL_URL"], environment, process: nil, world: UUID().uuidString,
        evicts: configuration.evictsWorlds)
    }
    let process = try await ServerProcess.start(
      configuration.environment, configuration.arguments, in: environment)
    return try SelfieServer(
      at: process.address, control: process.controlAddress, process.environment, process: process, world: nil,
      evicts: configuration.evictsWorlds)
  }

  /// - Parameters:
  ///   - controlAddress: that of the control interface, if it is another one.
  ///   - environment: has the credentials, unless they are those of `serve --ephemeral`.
  private init(
    at address: String, control controlAddress: String?, _ environment: [String: String], process: ServerProcess?,
    world: String?, evicts: Bool
  ) throws {
    url = try Self.url(address, named: "SELFIE_URL")
    apiAuthName = environment["API_AUTH_NAME"] ?? TestCredentials.name
    apiAuthPassword = environment["API_AUTH_PASSWORD"] ?? TestCredentials.password
    control = ControlClient(
      url: try controlAddress.flatMap { $0.isEmpty ? nil : $0 }.map { try Self.url($0, named: "SELFIE_CONTROL_URL") }
        ?? url,
      credentials: environment["CONTROL_CREDENTIALS"], world: world, evicts: evicts)
    failures = UnreportedFailures()
    if ControlClient.isLocal(url) { ControlClient.passesOverProxies }
    (self.process, self.world) = (process, world)
  }

  /// The address of a server, without a slash at its end.
  private static func url(_ text: String, named name: String) throws -> URL {
    let address = text.hasSuffix("/") ? String(text.dropLast()) : text
    guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host != nil,
      url.path.isEmpty, url.query == nil
    else {
      throw ControlError(
        status: nil,
        message: "\(name) is \(text), but it must be an address without a path, such as http://localhost:3000.")
    }
    return url
  }

  private init(world: String, evicts: Bool, of server: SelfieServer) {
    (url, apiAuthName, apiAuthPassword) = (server.url, server.apiAuthName, server.apiAuthPassword)
    control = ControlClient(
      url: server.control.url, credentials: server.control.credentials, world: world, evicts: evicts)
    (process, failures, self.world) = (server.process, server.failures, world)
  }

  /// The same server with its own data, faults, requests and clock, for tests that share a server. The app must send
  /// ``headers``.
  ///
  /// - Parameter evicts: whether the least recently used world ends if there are too many, even if it was used within the
  ///   last hour.
  public func world(_ name: String, evicts: Bool = false) -> SelfieServer {
    SelfieServer(world: name, evicts: evicts, of: self)
  }

  /// Stops the server, which finishes or drops the requests in flight. Of a world, or of a server that was started
  /// elsewhere, only the world ends.
  public func stop() async {
    await end()
    failures.report()
  }

  private func end() async {
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
    /// Makes ids and tokens from this number, so that equal tests get equal responses if the clock is frozen. By default,
    /// they are random.
    public var random: UInt64?
    /// At `SELFIE_URL`: whether the least recently used world ends if there are too many, even if it was used within the
    /// last hour.
    public var evictsWorlds = false

    public init() {}

    /// Throws if there is a setting that a server which runs already cannot have.
    fileprivate func requireDefaults() throws {
      var names = settings.keys.sorted()
      if port != 0 { names.append("port") }
      if random != nil { names.append("random") }
      guard !names.isEmpty else { return }
      throw ControlError(
        status: nil,
        message: """
          The server at SELFIE_URL runs already, so a test cannot choose its settings: \(names.joined(separator: ", ")). \
          Unset SELFIE_URL for this test, or start that server with them.
          """)
    }

    /// Arguments of `selfie-server serve`.
    var arguments: [String] { random.map { ["--random", "\($0)"] } ?? [] }

    var environment: [String: String] {
      var environment = ["LOG_LEVEL": "warning", "PORT": "\(port)"].merging(settings) { $1 }
      if let apiAuthName { environment["API_AUTH_NAME"] = apiAuthName }
      if let apiAuthPassword { environment["API_AUTH_PASSWORD"] = apiAuthPassword }
      return environment
    }
  }
}
