/// Users of each app with all that they have, and the world's clock: the body of `POST /__admin/seed`, and the answers
/// of `seed` and of `GET /__admin/state`. In a request, nearly everything has a default. SeedRules.swift in
/// SelfieTestControl validates it, and `StoredState` stores it.
public struct Seed: Codable, Sendable, Equatable {
  /// Is set before the users are created.
  public var clock: ClockChange?
  public var users: [User]
  public var microblog: Microblog?

  public init(users: [User] = [], microblogUsers: [MicroblogUser] = [], clock: ClockChange? = nil) {
    self.clock = clock
    self.users = users
    microblog = microblogUsers.isEmpty ? nil : Microblog(users: microblogUsers)
  }

  public var microblogUsers: [MicroblogUser] { microblog?.users ?? [] }

  /// The password of a user who is given none.
  public static let defaultPassword = "secret12"

  public struct User: Codable, Sendable, Equatable {
    /// Only in answers.
    public var id: Int64?
    public var email: String
    /// In plain text. An answer has it only if the request did.
    public var password: String?
    /// By bcrypt, instead of the password.
    public var passwordHash: String?
    /// Instead of first and last name: its first and its last word become the name, as in signup. If it is empty, the user
    /// has no name; without any of the three, the user is `Test User`.
    public var fullName: String?
    public var firstName: String?
    public var lastName: String?
    public var tokens: [Token]
    public var photos: [Photo]
    public var notes: [Note]
    /// By default, now.
    public var createdAt: TestInstant?
    /// By default, when the user was created.
    public var updatedAt: TestInstant?
    /// When the owner disabled the user.
    public var disabledAt: TestInstant?

    public init(
      email: String, password: String? = nil, firstName: String? = nil, lastName: String? = nil,
      fullName: String? = nil, tokens: [Token] = [], photos: [Photo] = [], notes: [Note] = [],
      createdAt: TestInstant? = nil
    ) {
      self.email = email
      self.password = password
      (self.fullName, self.firstName, self.lastName) = (fullName, firstName, lastName)
      (self.tokens, self.photos, self.notes) = (tokens, photos, notes)
      self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
      case id, email, password, passwordHash = "password_hash", fullName = "full_name", firstName = "first_name"
      case lastName = "last_name", tokens, photos, notes, createdAt = "created_at", updatedAt = "updated_at"
      case disabledAt = "disabled_at"
    }
  }

  /// A token, which may be written as a string: `tokens: ["janes-token"]`.
  public struct Token: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
    /// The text that clients send. By default, 24 random letters.
    public var token: String?
    /// The SHA-256 of the text in hexadecimal digits, instead of the text: the server keeps nothing else.
    public var digest: String?
    /// By default, after the server's lifetime of tokens.
    public var expiresAt: TestInstant?
    /// Instead of `expiresAt`.
    public var expiresIn: TestDuration?
    /// By default, now.
    public var createdAt: TestInstant?
    /// The digest of the token from which this one was refreshed; empty if it cannot be refreshed. By default, its own.
    public var family: String?
    /// When it was refreshed first.
    public var refreshedAt: TestInstant?
    /// Whether it can only be refreshed.
    public var retired: Bool?

    public init(_ token: String? = nil, expiresAt: TestInstant? = nil, expiresIn: TestDuration? = nil) {
      self.token = token
      (self.expiresAt, self.expiresIn) = (expiresAt, expiresIn)
    }

    public init(stringLiteral token: String) { self.init(token) }

    enum CodingKeys: String, CodingKey {
      case token, digest, expiresAt = "expires_at", expiresIn = "expires_in", createdAt = "created_at", family
      case refreshedAt = "refreshed_at", retired
    }
  }

  public struct Photo: Codable, Sendable, Equatable {
    /// Only in answers.
    public var id: Int64?
    /// 41 letters. By default, random ones.
    public var randomID: String?
    /// Only in answers: the photo's address.
    public var imageURL: String?
    /// The name of the file; empty for none. By default, `photo`, or the filename of the part.
    public var name: String?
    public var title: String?
    /// Only in answers: the type that the first bytes show.
    public var contentType: String?
    /// Is compared with the bytes.
    public var byteCount: Int64?
    /// By default, now.
    public var createdAt: TestInstant?
    /// By default, when the photo was created.
    public var updatedAt: TestInstant?
    /// The bytes. By default, a PNG of one pixel.
    public var base64: String?
    /// The name of the part of a multipart body that has the bytes, instead of base64.
    public var part: String?

    public init(
      base64: String? = nil, title: String? = nil, name: String? = nil, randomID: String? = nil,
      createdAt: TestInstant? = nil
    ) {
      (self.base64, self.title, self.name, self.randomID) = (base64, title, name, randomID)
      self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
      case id, randomID = "random_id", imageURL = "image_url", name, title, contentType = "content_type"
      case byteCount = "byte_count", createdAt = "created_at", updatedAt = "updated_at", base64, part
    }
  }

  public struct Note: Codable, Sendable, Equatable {
    /// Only in answers.
    public var id: Int64?
    public var title: String?
    public var body: String?
    /// By default, now.
    public var createdAt: TestInstant?
    /// By default, when the note was created.
    public var updatedAt: TestInstant?

    public init(
      title: String? = nil, body: String? = nil, createdAt: TestInstant? = nil, updatedAt: TestInstant? = nil
    ) {
      (self.title, self.body) = (title, body)
      (self.createdAt, self.updatedAt) = (createdAt, updatedAt)
    }

    enum CodingKeys: String, CodingKey { case id, title, body, createdAt = "created_at", updatedAt = "updated_at" }
  }

  /// What is stored for the Microblog app.
  public struct Microblog: Codable, Sendable, Equatable {
    public var users: [MicroblogUser]

    public init(users: [MicroblogUser]) { self.users = users }
  }

  /// A user of the Microblog app.
  public struct MicroblogUser: Codable, Sendable, Equatable {
    /// Only in answers.
    public var id: Int64?
    public var name: String
    /// In plain text. An answer has it only if the request did.
    public var password: String?
    /// By bcrypt, instead of the password.
    public var passwordHash: String?
    public var sessions: [Session]
    public var blogposts: [Blogpost]
    /// By default, now.
    public var createdAt: TestInstant?

    public init(
      name: String, password: String? = nil, sessions: [Session] = [], blogposts: [Blogpost] = [],
      createdAt: TestInstant? = nil
    ) {
      (self.name, self.password) = (name, password)
      (self.sessions, self.blogposts) = (sessions, blogposts)
      self.createdAt = createdAt
    }

    enum CodingKeys: String, CodingKey {
      case id, name, password, passwordHash = "password_hash", sessions, blogposts, createdAt = "created_at"
    }
  }

  /// A session of the Microblog app, which may be written as the value of its cookie.
  public struct Session: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
    /// The value of the cookie `auth_tkt`: 32 letters or digits. By default, random ones.
    public var cookie: String?
    /// The SHA-256 of the cookie's value in hexadecimal digits, instead of the value: the server keeps nothing else.
    public var digest: String?
    /// By default, when it was used, but not later than now.
    public var createdAt: TestInstant?
    /// By default, now. The session ends when it has not been used for `SESSION_LIFETIME`.
    public var usedAt: TestInstant?

    public init(_ cookie: String? = nil, usedAt: TestInstant? = nil) {
      (self.cookie, self.usedAt) = (cookie, usedAt)
    }

    public init(stringLiteral cookie: String) { self.init(cookie) }

    enum CodingKeys: String, CodingKey { case cookie, digest, createdAt = "created_at", usedAt = "used_at" }
  }

  /// A post of the Microblog app, which may be written as its text. The posts of a seed follow one another in the order
  /// of their times.
  public struct Blogpost: Codable, Sendable, Equatable, ExpressibleByStringLiteral {
    /// The id that clients know. By default, a random one.
    public var uuid: String?
    public var text: String
    /// By default, now.
    public var createdAt: TestInstant?

    public init(_ text: String, uuid: String? = nil, createdAt: TestInstant? = nil) {
      (self.text, self.uuid) = (text, uuid)
      self.createdAt = createdAt
    }

    public init(stringLiteral text: String) { self.init(text) }

    enum CodingKeys: String, CodingKey { case uuid, text, createdAt = "created_at" }
  }
}

extension KeyedDecodingContainer {
  /// Reads a list that is empty if it is missing. What the compiler makes of `Codable` in this module calls this.
  func decode<Element: Decodable>(_ type: [Element].Type, forKey key: Key) throws -> [Element] {
    try decodeIfPresent(type, forKey: key) ?? []
  }
}
