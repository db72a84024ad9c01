import SelfieAPI

/// What an import adds, and what it does not and why.
public struct ImportPlan: Sendable {
  /// What becomes of the users, tokens or photos of a dump.
  public struct Counts: Sendable, Equatable {
    public internal(set) var taken = 0
    public internal(set) var alreadyThere = 0
    public internal(set) var refused = 0
    /// Of those that are taken, those whose id is not free, so that they get another.
    public internal(set) var newIDs = 0
    /// Of tokens.
    public internal(set) var expired = 0
    /// Of tokens: the last import has brought them, and they have been ended since.
    public internal(set) var ended = 0
  }

  /// A row that is not taken, or not whole.
  public struct Refusal: Sendable, Equatable {
    /// Of the dump.
    public let line: Int
    /// Such as `user 5`.
    public let subject: String
    public let reason: String
  }

  public internal(set) var users = Counts()
  public internal(set) var tokens = Counts()
  public internal(set) var photos = Counts()
  /// Bytes of the photos that are taken.
  public internal(set) var byteCount: Int64 = 0
  /// In the order of the dump's lines, users first.
  public internal(set) var refusals: [Refusal] = []

  // MARK: - What is written

  /// Whose a token or a photo is.
  enum Owner: Sendable {
    /// A user who is there, by his id.
    case existing(Int64)
    /// A user who comes with this import, by his id in the dump.
    case new(Int64)
  }

  /// Users to insert, with the ids that they have in the dump; a record's own id is 0 where that one is taken.
  var newUsers: [(railsID: Int64, user: User)] = []
  /// Tokens to insert, once the ids of their users are known.
  var newTokens: [(owner: Owner, token: Token)] = []
  /// Photos to insert, once the ids of their users are known and their files are copied.
  var newPhotos: [(owner: Owner, photo: Photo)] = []
  /// Existing users whose row in the dump is newer: id and time of the last change.
  var updates: [(userID: Int64, updatedAt: Int64)] = []
}
