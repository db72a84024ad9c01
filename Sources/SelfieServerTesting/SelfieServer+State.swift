import SelfieAPI
import SelfieControl

/// What is stored, without requests.
extension SelfieServer {
  /// Adds a user with tokens and photos, as if they had come through the API:
  ///
  ///     let jane = try await server.seed(.init(email: "jane@example.com", tokens: ["janes-token"], photos: [.init()]))
  ///
  /// - Throws: `StateError` that says what is wrong, or what is there already.
  @discardableResult
  public func seed(_ user: Seed.User) async throws -> Seeded.User {
    try await seed(Seed(users: [user])).users[0]
  }

  /// Adds users with their tokens and photos: all of them, or none.
  ///
  /// - Throws: `StateError` that says what is wrong, or what is there already.
  @discardableResult
  public func seed(_ seed: Seed) async throws -> Seeded {
    try await worlds.main.state.seed(seed)
  }

  /// Lets everything be as it was in the beginning, the snapshots excepted: nothing is stored, nothing goes wrong, and
  /// the clock shows the real time.
  public func reset() async throws {
    try await worlds.main.reset()
  }

  /// Lets tokens expire now: those of a user, or all.
  ///
  /// - Returns: how many have.
  /// - Throws: `StateError` when there is no such user.
  @discardableResult
  public func expireTokens(of email: String? = nil) async throws -> Int {
    Int(try await worlds.main.state.expireTokens(email: email))
  }

  /// Ends tokens as signing out does: those of a user, or all.
  ///
  /// - Returns: how many there were, expired ones included.
  /// - Throws: `StateError` when there is no such user.
  @discardableResult
  public func revokeTokens(of email: String? = nil) async throws -> Int {
    Int(try await worlds.main.state.revokeTokens(email: email))
  }

  /// What is stored now, kept under names to go back to.
  public var snapshots: Snapshots { worlds.main.snapshots }

  /// Everything that is stored.
  public func exportState() async throws -> StateDocument {
    try await worlds.main.state.exportState()
  }

  /// Replaces everything that is stored.
  ///
  /// - Throws: `StateError` that names all that is wrong with the document; nothing is changed then.
  public func importState(_ document: StateDocument) async throws {
    try await worlds.main.state.importState(document)
  }
}
