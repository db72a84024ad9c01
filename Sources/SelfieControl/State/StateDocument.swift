import SelfieAPI

/// Everything that is stored, as values. Times are unix milliseconds.
public struct StateDocument: Sendable, Equatable {
  public var users: [User]
  public var tokens: [Token]
  public var photos: [Photo]
  /// The greatest id that a user has ever had, so that the next one gets the one behind it; nil: of those in here.
  public var lastUserID: Int64?
  /// As ``lastUserID``, of photos.
  public var lastPhotoID: Int64?

  public init(
    users: [User] = [], tokens: [Token] = [], photos: [Photo] = [], lastUserID: Int64? = nil,
    lastPhotoID: Int64? = nil
  ) {
    self.users = users
    self.tokens = tokens
    self.photos = photos
    self.lastUserID = lastUserID
    self.lastPhotoID = lastPhotoID
  }

  public var counts: StateCounts {
    StateCounts(users: Int64(users.count), tokens: Int64(tokens.count), photos: Int64(photos.count))
  }

  public typealias User = SelfieAPI.User
  public typealias Token = SelfieAPI.Token

  /// A photo, with its bytes or where to find them; what is left out follows from these.
  public struct Photo: Sendable, Equatable {
    /// Nil: the next one.
    public var id: Int64?
    /// 41 letters.
    public var randomID: String
    public var userID: Int64
    public var name: String?
    public var title: String
    /// Nil: what its first bytes say.
    public var contentType: String?
    /// Nil: whatever it has.
    public var byteCount: Int64?
    /// Nil: now.
    public var createdAt: Int64?
    /// Nil: as ``createdAt``.
    public var updatedAt: Int64?
    public var content: Content

    public init(
      id: Int64? = nil, randomID: String, userID: Int64, name: String? = nil, title: String = "",
      contentType: String? = nil, byteCount: Int64? = nil, createdAt: Int64? = nil, updatedAt: Int64? = nil,
      content: Content
    ) {
      self.id = id
      self.randomID = randomID
      self.userID = userID
      self.name = name
      self.title = title
      self.contentType = contentType
      self.byteCount = byteCount
      self.createdAt = createdAt
      self.updatedAt = updatedAt
      self.content = content
    }
  }

  /// Where a photo's bytes are.
  public enum Content: Sendable, Equatable {
    /// Kept by an export or a snapshot of this server, under their SHA-256.
    case kept(sha256: [UInt8])
    /// In a file of the server's machine; their SHA-256 must be this one, if it is given.
    case file(path: String, sha256: [UInt8]? = nil)
    /// Here; their SHA-256 must be this one, if it is given.
    case bytes([UInt8], sha256: [UInt8]? = nil)

    public var sha256: [UInt8]? {
      switch self {
      case .kept(let sha256): sha256
      case .file(_, let sha256), .bytes(_, let sha256): sha256
      }
    }
  }
}
