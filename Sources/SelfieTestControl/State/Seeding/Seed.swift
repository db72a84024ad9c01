import SelfieAPI

/// Users with their passwords, and with what they have, that a test wants to be stored. Nearly everything has a default.
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
    /// In unix milliseconds; nil for now.
    public var createdAt: Int64?

    public init(
      email: String, password: String = Seed.defaultPassword, firstName: String? = Seed.defaultName.first,
      lastName: String? = Seed.defaultName.last, tokens: [Token] = [], photos: [Photo] = [], notes: [Note] = [],
      createdAt: Int64? = nil
    ) {
      self.email = email
      self.password = password
      self.firstName = firstName
      self.lastName = lastName
      self.tokens = tokens
      self.photos = photos
      self.notes = notes
      self.createdAt = createdAt
    }

    /// - Parameter fullName: as in signup, its first and its last word become the name.
    public init(
      email: String, password: String = Seed.defaultPassword, fullName: String, tokens: [Token] = [],
      photos: [Photo] = [], notes: [Note] = [], createdAt: Int64? = nil
    ) {
      let words = Application.words(fullName)
      self.init(
        email: email, password: password, firstName: words.first, lastName: words.last, tokens: tokens,
        photos: photos, notes: notes, createdAt: createdAt)
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

    public init(stringLiteral letters: String) {
      self.init(letters)
    }
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
    /// In unix milliseconds; nil for now.
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
}

/// The stored users of a seed, in the order of the seed.
public struct Seeded: Sendable, Equatable {
  public var users: [User]
  public var microblogUsers: [MicroblogUser]

  public struct User: Sendable, Equatable {
    public let id: Int64
    public let email: String
    public let firstName: String?
    public let lastName: String?
    /// In plain text.
    public let password: String
    public let tokens: [Token]
    public let photos: [Photo]
    public let notes: [Note]
  }

  public struct Token: Sendable, Equatable {
    /// The text that clients send.
    public let letters: String
    /// Unix milliseconds.
    public let expiresAt: Int64
  }

  public struct Photo: Sendable, Equatable {
    public let id: Int64
    /// The photo's path is `/photos/` followed by this id.
    public let randomID: String
    public let name: String?
    public let title: String
    public let contentType: String
    public let byteCount: Int
    /// Unix milliseconds.
    public let createdAt: Int64
  }
}
