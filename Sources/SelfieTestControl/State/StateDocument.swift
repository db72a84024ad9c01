import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

/// Everything that is stored, as values. Times are in unix milliseconds.
public struct StateDocument: Sendable, Equatable {
  public var users: [User]
  public var tokens: [Token]
  public var photos: [Photo]
  public var notes: [Note]
  public var microblog: MicroblogState
  /// The highest id that a user has ever had, after which ids continue; nil for the highest in this document.
  public var lastUserID: Int64?
  /// As `lastUserID`.
  public var lastPhotoID: Int64?
  /// As `lastUserID`.
  public var lastNoteID: Int64?

  public init(
    users: [User] = [], tokens: [Token] = [], photos: [Photo] = [], notes: [Note] = [],
    microblog: MicroblogState = MicroblogState(), lastUserID: Int64? = nil, lastPhotoID: Int64? = nil,
    lastNoteID: Int64? = nil
  ) {
    self.users = users
    self.tokens = tokens
    self.photos = photos
    self.notes = notes
    self.microblog = microblog
    self.lastUserID = lastUserID
    self.lastPhotoID = lastPhotoID
    self.lastNoteID = lastNoteID
  }

  public var counts: StateCounts {
    StateCounts(
      users: Int64(users.count), tokens: Int64(tokens.count { !$0.isRetired }), photos: Int64(photos.count),
      notes: Int64(notes.count),
      microblogUsers: Int64(microblog.users.count), blogposts: Int64(microblog.blogposts.count))
  }

  public typealias User = SelfieAPI.User
  public typealias Token = SelfieAPI.Token
  public typealias Note = SelfieAPI.Note

  /// A photo with its bytes, or where to find them. Omitted values follow from the bytes.
  public struct Photo: Sendable, Equatable {
    /// Nil for the next id.
    public var id: Int64?
    /// 41 letters.
    public var randomID: String
    public var userID: Int64
    public var name: String?
    public var title: String
    /// Nil for the type that the first bytes indicate.
    public var contentType: String?
    /// Nil for any number.
    public var byteCount: Int64?
    /// Nil for now.
    public var createdAt: Int64?
    /// Nil for the same as ``createdAt``.
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
    /// Kept by an export or a snapshot of this server.
    case kept(sha256: [UInt8])
    /// In a file on the server's machine. If a SHA-256 is given, it must match.
    case file(path: String, sha256: [UInt8]? = nil)
    /// The bytes themselves. If a SHA-256 is given, it must match.
    case bytes([UInt8], sha256: [UInt8]? = nil)

    public var sha256: [UInt8]? {
      switch self {
      case .kept(let sha256): sha256
      case .file(_, let sha256), .bytes(_, let sha256): sha256
      }
    }
  }

  /// Throws everything that is wrong.
  func check() throws(ControlError) {
    var problems = Problems()
    check("", &problems)
    try problems.finish()
  }
}

/// Everything that is stored of the Microblog app, as values.
public struct MicroblogState: Sendable, Equatable {
  public var users: [MicroblogUser]
  public var sessions: [MicroblogSession]
  public var blogposts: [Blogpost]
  /// The highest id that a user has ever had, after which ids continue; nil for the highest in this document.
  public var lastUserID: Int64?
  /// As `lastUserID`.
  public var lastBlogpostID: Int64?

  public init(
    users: [MicroblogUser] = [], sessions: [MicroblogSession] = [], blogposts: [Blogpost] = [],
    lastUserID: Int64? = nil, lastBlogpostID: Int64? = nil
  ) {
    self.users = users
    self.sessions = sessions
    self.blogposts = blogposts
    self.lastUserID = lastUserID
    self.lastBlogpostID = lastBlogpostID
  }
}

/// How much is stored.
public struct StateCounts: Sendable, Equatable {
  public var users: Int64
  public var tokens: Int64
  public var photos: Int64
  public var notes: Int64
  public var microblogUsers: Int64
  public var blogposts: Int64

  public init(
    users: Int64 = 0, tokens: Int64 = 0, photos: Int64 = 0, notes: Int64 = 0, microblogUsers: Int64 = 0,
    blogposts: Int64 = 0
  ) {
    self.users = users
    self.tokens = tokens
    self.photos = photos
    self.notes = notes
    self.microblogUsers = microblogUsers
    self.blogposts = blogposts
  }

  func writeMembers(to json: inout JSONWriter) {
    json.member("users", users)
    json.member("tokens", tokens)
    json.member("photos", photos)
    json.member("notes", notes)
    json.member("microblog_users", microblogUsers)
    json.member("blogposts", blogposts)
  }
}
