import Foundation
public import SelfieTestDocuments

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Access to the data and to the worlds of a server without its API. `Seed` describes the data, and `StoredState` in
/// SelfieTestControl stores it.
extension SelfieServer {
  /// Adds a user with tokens, photos and notes, as if the API had created them:
  ///
  ///     let jane = try await server.seed(.init(email: "jane@example.com", tokens: ["janes-token"], photos: [.init()]))
  ///
  /// - Returns: the user with all that the server has chosen, such as ids.
  /// - Throws: ``ControlError`` with what is invalid or exists already.
  @discardableResult
  public func seed(_ user: Seed.User) async throws -> Seed.User {
    try await Self.only(seed(Seed(users: [user])).users)
  }

  /// Adds a user of the Microblog app:
  ///
  ///     let ada = try await server.seed(.init(name: "ada", sessions: [.init()], blogposts: ["Hello"]))
  ///
  /// - Throws: ``ControlError`` with what is invalid or exists already.
  @discardableResult
  public func seed(_ user: Seed.MicroblogUser) async throws -> Seed.MicroblogUser {
    try await Self.only(seed(Seed(microblogUsers: [user])).microblogUsers)
  }

  private static func only<User>(_ users: [User]) throws -> User {
    guard let user = users.first else { throw ControlError(status: nil, message: "The server did not name the user.") }
    return user
  }

  /// Adds users with what they have, either all or none.
  ///
  /// - Throws: ``ControlError`` with what is invalid or exists already.
  @discardableResult
  public func seed(_ seed: Seed) async throws -> Seed { try await control.send("POST", "seed", seed) }

  /// Everything that is stored, in a form that can be seeded again.
  public func state() async throws -> Seed { try await control.send("GET", "state") }

  /// Restores the initial state: nothing is stored, there are no faults, the journal is empty, and the clock shows the
  /// real time. Snapshots are kept.
  public func reset() async throws { try await control.send("POST", "reset") }

  /// Lets the tokens of a user, or all tokens, expire now.
  ///
  /// - Returns: how many expired.
  /// - Throws: ``ControlError`` when the user does not exist.
  @discardableResult
  public func expireTokens(of email: String? = nil) async throws -> Int {
    let ended: [String: Int] = try await control.send("POST", "tokens/expire", TokenOwner(email: email))
    return ended["expired"] ?? 0
  }

  /// Removes the tokens of a user, or all tokens, as signing out does.
  ///
  /// - Returns: how many were removed, expired ones included.
  /// - Throws: ``ControlError`` when the user does not exist.
  @discardableResult
  public func revokeTokens(of email: String? = nil) async throws -> Int {
    let ended: [String: Int] = try await control.send("POST", "tokens/revoke", TokenOwner(email: email))
    return ended["revoked"] ?? 0
  }
}

extension SelfieServer {
  /// Saves the stored data under names, and restores it.
  public var snapshots: Snapshots { Snapshots(control: control) }

  /// The snapshots of a server.
  public struct Snapshots: Sendable {
    let control: ControlClient

    /// All snapshots, by name.
    public var all: [Snapshot] {
      get async throws { try await (control.send("GET", "snapshots") as SnapshotList).snapshots }
    }

    /// Saves what is stored.
    @discardableResult
    public func save(_ name: String) async throws -> Snapshot { try await control.send("POST", Self.address(name)) }

    /// Replaces what is stored.
    public func restore(_ name: String) async throws {
      try await control.send("POST", Self.address(name) + "/restore")
    }

    /// Deletes a snapshot.
    public func remove(_ name: String) async throws { try await control.send("DELETE", Self.address(name)) }

    private static func address(_ name: String) -> String { "snapshots/" + ControlClient.escaped(name) }
  }
}

extension SelfieServer {
  /// The header fields that choose the world; none for the main one.
  public var headers: [String: String] { control.headers }

  /// For the `URLSession` of a client in the test: it chooses the world, and keeps no cookies and no cache. A server on
  /// this machine is asked without a proxy.
  public var sessionConfiguration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    if ControlClient.isLocal(url) { configuration.connectionProxyDictionary = [:] }
    configuration.httpAdditionalHeaders = headers
    return configuration
  }

  /// For `XCUIApplication.launchEnvironment`, of an app that reads its settings there. The app sends `X_TEST_WORLD`, if it is
  /// there, as the field `X-Test-World`.
  public var launchEnvironment: [String: String] {
    var environment = [
      "BASE_URL": baseURL.absoluteString, "API_AUTH_NAME": apiAuthName, "API_AUTH_PASSWORD": apiAuthPassword,
    ]
    environment["X_TEST_WORLD"] = world
    return environment
  }

  /// The same for `launchArguments`: an app reads them by `UserDefaults.standard.string(forKey: "BASE_URL")`.
  public var launchArguments: [String] { launchEnvironment.flatMap { ["-\($0)", $1] } }

  /// Ends the world, with all that it has.
  public func removeWorld() async throws {
    if let world { try await control.send("DELETE", "worlds/" + ControlClient.escaped(world)) }
  }
}
