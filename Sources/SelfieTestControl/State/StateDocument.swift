import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

/// Everything that is stored, as values. Times are in unix milliseconds.
public struct StateDocument: Sendable, Equatable {
  public var users: [User] = []
  public var tokens: [Token] = []
  public var photos: [Photo] = []
  public var notes: [Note] = []
  public var microblog = MicroblogState()
  /// The highest id that a user has ever had, after which ids continue; nil for the highest in this document.
  public var lastUserID: Int64?
  /// As `lastUserID`.
  public var lastPhotoID: Int64?
  /// As `lastUserID`.
  public var lastNoteID: Int64?

  public init() {}

  public var counts: StateCounts {
    StateCounts(
      users: Int64(users.count), tokens: Int64(tokens.count { !$0.isRetired }), photos: Int64(photos.count),
      notes: Int64(notes.count),
      microblogUsers: Int64(microblog.users.count), blogposts: Int64(microblog.blogposts.count))
  }

  public typealias User = SelfieAPI.User
  public typealias Token = SelfieAPI.Token
  public typealias Note = SelfieAPI.Note

  /// A photo with its bytes, or where to find them.
  public struct Photo: Sendable, Equatable {
    /// An id of 0 stands for the next one, a size of -1 for any, and an empty type for the one that the first bytes
    /// indicate. If there is a SHA-256, the bytes must match it.
    public var row: SelfieAPI.Photo
    /// A file on the server's machine.
    public var path: String?
    /// The bytes themselves. Without them and without a path, an export or a snapshot of this server must keep the bytes
    /// of the row's SHA-256.
    public var bytes: [UInt8]?

    public init(_ row: SelfieAPI.Photo, path: String? = nil, bytes: [UInt8]? = nil) {
      self.row = row
      self.path = path
      self.bytes = bytes
    }
  }
}

/// Everything that is stored of the Microblog app, as values.
public struct MicroblogState: Sendable, Equatable {
  public var users: [MicroblogUser] = []
  public var sessions: [MicroblogSession] = []
  public var blogposts: [Blogpost] = []
  /// The highest id that a user has ever had, after which ids continue; nil for the highest in this document.
  public var lastUserID: Int64?
  /// As `lastUserID`.
  public var lastBlogpostID: Int64?
}

/// How much is stored.
public struct StateCounts: Sendable, Equatable {
  public var users: Int64 = 0
  public var tokens: Int64 = 0
  public var photos: Int64 = 0
  public var notes: Int64 = 0
  public var microblogUsers: Int64 = 0
  public var blogposts: Int64 = 0

  func writeMembers(to json: inout JSONWriter) {
    json.member("users", users)
    json.member("tokens", tokens)
    json.member("photos", photos)
    json.member("notes", notes)
    json.member("microblog_users", microblogUsers)
    json.member("blogposts", blogposts)
  }
}
