import SQLite
import SelfieAPI

/// Everything that is stored of the Microblog app, as values.
public struct MicroblogState: Sendable, Equatable {
  public var users: [MicroblogUser]
  public var sessions: [MicroblogSession]
  public var blogposts: [Blogpost]
  /// The highest id that a user has ever had, after which ids continue; nil for the highest in this document.
  public var lastUserID: Int64?
  /// The same for posts.
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

  init(on connection: Connection) throws {
    self.init(
      users: try MicroblogUserStore.all(on: connection), sessions: try MicroblogSessionStore.all(on: connection),
      blogposts: try BlogpostStore.all(on: connection), lastUserID: try MicroblogUserStore.lastID(on: connection),
      lastBlogpostID: try BlogpostStore.lastID(on: connection))
  }

  /// Stores everything. Nothing must be stored before.
  func insert(on connection: Connection) throws {
    for user in users { try connection.insert(user) }
    for session in sessions { try connection.insert(session) }
    // Posts that have ids come before those that get new ones, so that no new id takes the place of another's.
    for post in blogposts where post.id != 0 { try connection.insert(post) }
    for post in blogposts where post.id == 0 { try connection.insert(post) }
    try MicroblogUserStore.setLastID(max(lastUserID ?? 0, MicroblogUserStore.lastID(on: connection)), on: connection)
    try BlogpostStore.setLastID(max(lastBlogpostID ?? 0, BlogpostStore.lastID(on: connection)), on: connection)
  }

  /// - Returns: how many users and posts there were.
  static func removeAll(on connection: Connection) throws -> (users: Int64, blogposts: Int64) {
    _ = try connection.removeAllMicroblogSessions()
    let blogposts = try connection.removeAllBlogposts()
    let users = try connection.removeAllMicroblogUsers()
    try MicroblogUserStore.setLastID(0, on: connection)
    try BlogpostStore.setLastID(0, on: connection)
    return (users, blogposts)
  }
}
