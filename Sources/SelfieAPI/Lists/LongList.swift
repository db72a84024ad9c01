import HTTPMessages

/// A list as it is sent.
struct LongList: Sendable {
  /// Shorter lists are copied for each request: they fit into the socket's buffer.
  static let minBytes = 64 * 1024

  let body: Response.Body
  let tag: ETag

  /// Whose list it is.
  enum Owner: Hashable {
    /// A user's photos or notes.
    case user(Int64)
    /// Posts and users of the Microblog app.
    case everybody
  }

  /// What decides the content of a list, apart from the rows of the database.
  enum Key: Hashable {
    case photos(of: Int64, urlPrefix: [UInt8])
    case list(of: Owner, target: [UInt8])

    var owner: Owner {
      switch self {
      case .photos(let userID, _): .user(userID)
      case .list(let owner, _): owner
      }
    }
  }
}
