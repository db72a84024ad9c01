import SelfieAPI

/// The rows that an import adds, and those that it refuses with the reasons.
public struct ImportPlan: Sendable {
  /// The numbers of users, tokens or photos of a dump, by what happens to them.
  public struct Counts: Sendable, Equatable {
    public internal(set) var taken = 0
    public internal(set) var alreadyThere = 0
    public internal(set) var refused = 0
    /// How many of those taken get another id because theirs is not free.
    public internal(set) var newIDs = 0
    /// Tokens only.
    public internal(set) var expired = 0
    /// Tokens only: an earlier import took them, and they were ended since.
    public internal(set) var ended = 0
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

  /// The ids of users who are already there, by their ids in the dump.
  var existingUsers: [Int64: Int64] = [:]
  /// Users to insert, with their ids in the dump. The id of the record is 0 if that id is taken.
  var newUsers: [(railsID: Int64, user: User)] = []
  /// Tokens to insert, with the ids of their users in the dump.
  var newTokens: [(railsUserID: Int64, token: Token)] = []
  /// Photos to insert once their files are copied, with the ids of their users in the dump.
  var newPhotos: [(railsUserID: Int64, photo: Photo)] = []
  /// Existing users whose rows in the dump are newer, with the times of these.
  var updates: [User] = []

  var isEmpty: Bool { newUsers.isEmpty && newTokens.isEmpty && newPhotos.isEmpty && updates.isEmpty }
}
