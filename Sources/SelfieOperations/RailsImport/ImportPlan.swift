import SelfieAPI

/// The rows that an import inserts, and those that it refuses with the reasons.
public struct ImportPlan: Sendable {
  /// The numbers of users, tokens or photos of a dump, by what happens to them.
  public struct Counts: Sendable, Equatable {
    public internal(set) var taken = 0
    public internal(set) var refused = 0
    /// Tokens only.
    public internal(set) var expired = 0
  }

  /// A row that is not taken, or not all of it.
  public struct Refusal: Error, Equatable {
    /// The line in the dump.
    public let line: Int
    /// Such as `user 5`.
    public let subject: String
    public let reason: String
  }

  public internal(set) var users = Counts()
  public internal(set) var tokens = Counts()
  public internal(set) var photos = Counts()
  /// The size of all photos that are taken.
  public internal(set) var byteCount: Int64 = 0
  /// In the order of the dump's lines.
  public internal(set) var refusals: [Refusal] = []

  // MARK: - What is written

  var newUsers: [User] = []
  var newTokens: [Token] = []
  /// Are inserted once their files are copied.
  var newPhotos: [Photo] = []
}
