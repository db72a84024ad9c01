import SelfieAPI
import SelfieTestControl
import SelfieTestDocuments

/// Access to the stored data without requests.
extension SelfieServer {
  /// Adds a user with tokens, photos and notes, as if the API had created them:
  ///
  ///     let jane = try await server.seed(.init(email: "jane@example.com", tokens: ["janes-token"], photos: [.init()]))
  ///
  /// - Throws: `ControlError` with what is invalid or exists already.
  @discardableResult
  public func seed(_ user: Seed.User) async throws -> Seed.User {
    try await seed(Seed(users: [user])).users[0]
  }

  /// Adds a user of the Microblog app:
  ///
  ///     let ada = try await server.seed(.init(name: "ada", sessions: [.init()], blogposts: ["Hello"]))
  ///
  /// - Throws: `ControlError` with what is invalid or exists already.
  @discardableResult
  public func seed(_ user: Seed.MicroblogUser) async throws -> Seed.MicroblogUser {
    try await seed(Seed(microblogUsers: [user])).microblogUsers[0]
  }

  /// Adds users with what they have, either all or none.
  ///
  /// - Throws: `ControlError` with what is invalid or exists already.
  @discardableResult
  public func seed(_ seed: Seed) async throws -> Seed {
    try await worlds.main.state.seed(seed)
  }

  /// Restores the initial state: nothing is stored, there are no faults, the journal is empty, and the clock shows the
  /// real time. Snapshots are kept.
  public func reset() async throws {
    try await worlds.main.reset()
  }

  /// Lets the tokens of a user, or all tokens, expire now.
  ///
  /// - Returns: how many expired.
  /// - Throws: `ControlError` when the user does not exist.
  @discardableResult
  public func expireTokens(of email: String? = nil) async throws -> Int {
    Int(try await worlds.main.state.expireTokens(email: email))
  }

  /// Removes the tokens of a user, or all tokens, as signing out does.
  ///
  /// - Returns: how many were removed, expired ones included.
  /// - Throws: `ControlError` when the user does not exist.
  @discardableResult
  public func revokeTokens(of email: String? = nil) async throws -> Int {
    Int(try await worlds.main.state.revokeTokens(email: email))
  }

  /// Saves the stored data under names, and restores it.
  public var snapshots: Snapshots { worlds.main.snapshots }

  /// Exports everything that is stored, as a seed that makes it again.
  public func exportState() async throws -> Seed {
    try await worlds.main.state.export()
  }
}
