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

  struct NewUser: Sendable {
    /// The id in the dump.
    let railsID: Int64
    /// The id to keep; nil for a new one.
    let id: Int64?
    let firstName: String?
    let lastName: String?
    let email: String
    let passwordHash: String
    /// Unix milliseconds.
    let createdAt: Int64
    let updatedAt: Int64
  }

  struct NewToken: Sendable {
    let owner: Owner
    let digest: [UInt8]
    let expiresAt: Int64
    let createdAt: Int64
  }

  struct NewPhoto: Sendable {
    let owner: Owner
    /// The id to keep; nil for a new one.
    let id: Int64?
    let randomID: String
    let name: String?
    let title: String
    let createdAt: Int64
    let updatedAt: Int64
  }

  /// Whose a token or a photo is.
  enum Owner: Sendable {
    /// A user who is there, by his id.
    case existing(Int64)
    /// A user who comes with this import, by his id in the dump.
    case new(Int64)
  }

  var newUsers: [NewUser] = []
  var newTokens: [NewToken] = []
  var newPhotos: [NewPhoto] = []
  /// Users who are there, of whom the dump has newer tidings: by id, when they last changed.
  var updates: [(userID: Int64, updatedAt: Int64)] = []
}
