import SelfieAPI

/// Users with their passwords, and with what they have, that a test wants to be stored. Nearly everything has a default.
/// Times are in unix milliseconds; nil for now.
public struct Seed: Sendable, Equatable {
  public var users: [User]
  public var microblogUsers: [MicroblogUser]

  public init(users: [User] = [], microblogUsers: [MicroblogUser] = []) {
    self.users = users
    self.microblogUsers = microblogUsers
  }

  /// The password of a user who is given none.
  public static let defaultPassword = "secret12"
  /// The name of a user who is given none.
  public static let defaultName = (first: "Test", last: "User")

  public struct User: Sendable, Equatable {
    public var email: String
    /// In plain text.
    public var password: String
    public var firstName: String?
    public var lastName: String?
    public var tokens: [Token]
    public var photos: [Photo]
    public var notes: [Note]
    public var createdAt: Int64?

    /// - Parameter fullName: as in signup, its first and its last word become the name.
    public init(
      email: String, password: String = Seed.defaultPassword, firstName: String? = Seed.defaultName.first,
      lastName: String? = Seed.defaultName.last, fullName: String? = nil, tokens: [Token] = [], photos: [Photo] = [],
      notes: [Note] = [], createdAt: Int64? = nil
    ) {
      self.email = email
      self.password = password
      (self.firstName, self.lastName) = fullName.map(Application.words) ?? (firstName, lastName)
      self.tokens = tokens
      self.photos = photos
      self.notes = notes
      self.createdAt = createdAt
    }
  }

  /// A token, which may be written as a string: `tokens: ["janes-token"]`.
  public struct Token: Sendable, Equatable, ExpressibleByStringLiteral {
    /// The text that clients send; nil for 24 random letters.
    public var letters: String?
    public var expiry: Expiry

    public init(_ letters: String? = nil, expiry: Expiry = .lifetime) {
      self.letters = letters
      self.expiry = expiry
    }

    public init(stringLiteral letters: String) { self.init(letters) }
  }

  /// When a token expires.
  public enum Expiry: Sendable, Equatable {
    /// After the server's lifetime of tokens.
    case lifetime
    /// At a time in unix milliseconds, which may be in the past.
    case at(Int64)
    /// After this many milliseconds, which may be negative.
    case after(milliseconds: Int64)
  }

  public struct Photo: Sendable, Equatable {
    /// The bytes of the photo. The first bytes determine its type.
    public var bytes: [UInt8]
    public var title: String
    /// The name of the file.
    public var name: String?
    /// 41 letters; nil for random letters.
    public var randomID: String?
    public var createdAt: Int64?

    public init(
      _ bytes: [UInt8] = Seed.onePixel, title: String = "", name: String? = "photo", randomID: String? = nil,
      createdAt: Int64? = nil
    ) {
      self.bytes = bytes
      self.title = title
      self.name = name
      self.randomID = randomID
      self.createdAt = createdAt
    }
  }

  /// The smallest photo: a PNG of one orange pixel.
  public static let onePixel: [UInt8] = [
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53, 0xde, 0x00, 0x00, 0x00, 0x0c, 0x49,
    0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0x10, 0xa0, 0x00, 0x00, 0x03, 0x94, 0x01, 0x61, 0x5c, 0x18, 0x91, 0x6f,
    0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
  ]

  public struct Note: Sendable, Equatable {
    public var title: String
    public var body: String
    public var createdAt: Int64?
    /// Nil for the same as ``createdAt``.
    public var updatedAt: Int64?

    public init(title: String = "", body: String = "", createdAt: Int64? = nil, updatedAt: Int64? = nil) {
      self.title = title
      self.body = body
      self.createdAt = createdAt
      self.updatedAt = updatedAt
    }
  }

  /// A user of the Microblog app.
  public struct MicroblogUser: Sendable, Equatable {
    public var name: String
    /// In plain text.
    public var password: String
    public var sessions: [Session]
    public var blogposts: [Blogpost]
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
    /// The session ends when it has not been used for `SESSION_LIFETIME`.
    public var usedAt: Int64?

    public init(_ cookie: String? = nil, usedAt: Int64? = nil) {
      self.cookie = cookie
      self.usedAt = usedAt
    }

    public init(stringLiteral cookie: String) { self.init(cookie) }
  }

  /// A post of the Microblog app, which may be written as its text. The posts of a seed follow one another in the order
  /// of their times.
  public struct Blogpost: Sendable, Equatable, ExpressibleByStringLiteral {
    public var text: String
    /// The id that clients know; nil for a random one.
    public var uuid: String?
    public var createdAt: Int64?

    public init(_ text: String, uuid: String? = nil, createdAt: Int64? = nil) {
      self.text = text
      self.uuid = uuid
      self.createdAt = createdAt
    }

    public init(stringLiteral text: String) { self.init(text) }
  }
}
