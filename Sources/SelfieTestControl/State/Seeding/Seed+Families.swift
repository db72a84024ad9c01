import SelfieAPI

// What a seed has for the Notes and the Microblog app.
extension Seed {
  public struct Note: Sendable, Equatable {
    public var title: String
    public var body: String
    /// In unix milliseconds; nil for now.
    public var createdAt: Int64?
    /// In unix milliseconds; nil for the same as ``createdAt``.
    public var updatedAt: Int64?

    public init(title: String = "", body: String = "", createdAt: Int64? = nil, updatedAt: Int64? = nil) {
      self.title = title
      self.body = body
      self.createdAt = createdAt
      self.updatedAt = updatedAt
    }
  }

  /// Somebody who has an account in the Microblog app.
  public struct MicroblogUser: Sendable, Equatable {
    public var name: String
    /// In plain text.
    public var password: String
    public var sessions: [Session]
    public var blogposts: [Blogpost]
    /// In unix milliseconds; nil for now.
    public var createdAt: Int64?

    public init(
      name: String, password: String = Seed.defaultPassword, sessions: [Session] = [], blogposts: [Blogpost] = [],
      createdAt: Int64? = nil
    ) {
      self.name = name
      self.password = password
      self.sessions = sessions
      self.blogposts = blogposts
      self.createdAt = createdAt
    }
  }

  /// A session of the Microblog app, which may be written as the value of its cookie.
  public struct Session: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The value of the cookie `auth_tkt`: 32 letters or digits; nil for random letters.
    public var cookie: String?
    /// In unix milliseconds; nil for now. The session ends when it has not been used for `SESSION_LIFETIME`.
    public var usedAt: Int64?

    public init(_ cookie: String? = nil, usedAt: Int64? = nil) {
      self.cookie = cookie
      self.usedAt = usedAt
    }

    public init(stringLiteral cookie: String) {
      self.init(cookie)
    }
  }

  /// A post of the Microblog app, which may be written as its text. The posts of a seed follow one another in the order
  /// of their times.
  public struct Blogpost: Sendable, Equatable, ExpressibleByStringLiteral {
    public var text: String
    /// The id that clients know; nil for a random one.
    public var uuid: String?
    /// In unix milliseconds; nil for now.
    public var createdAt: Int64?

    public init(_ text: String, uuid: String? = nil, createdAt: Int64? = nil) {
      self.text = text
      self.uuid = uuid
      self.createdAt = createdAt
    }

    public init(stringLiteral text: String) {
      self.init(text)
    }
  }
}

extension Seeded {
  public struct MicroblogUser: Sendable, Equatable {
    public let id: Int64
    public let name: String
    /// In plain text.
    public let password: String
    /// The values of the cookie `auth_tkt`.
    public let sessions: [String]
    public let blogposts: [Blogpost]
  }
}
