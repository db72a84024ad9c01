import Testing

@testable import SelfieAPI
@testable import SelfieTestControl

/// What is wrong with a document.
@Suite struct StateRecordsTests {
  private static let hash = "$2b$04$" + String(repeating: "a", count: 21) + "." + String(repeating: "a", count: 31)
  private static let id = String(repeating: "a", count: Photo.idLength)
  private static let hex = String(repeating: "01", count: 32)

  /// A document in which all is right.
  private static let sound: StateDocument = {
    var document = StateDocument()
    document.users = [.init(id: 1, email: "a@b.c", passwordHash: hash, createdAt: 0)]
    document.tokens = [.init(digest: [UInt8](repeating: 1, count: 32), userID: 1, expiresAt: 0, createdAt: 0)]
    document.photos = [.sample(id, bytes: [])]
    document.notes = [.init(userID: 1, title: "Milk", body: "", createdAt: 0)]
    document.microblog.users = [.init(id: 1, name: "ada", passwordHash: hash, createdAt: 0)]
    document.microblog.sessions = [
      .init(digest: [UInt8](repeating: 1, count: 32), userID: 1, createdAt: 0, usedAt: 0)
    ]
    document.microblog.blogposts = [.init(uuid: "1", userID: 1, text: "Hello", createdAt: 0)]
    return document
  }()

  private static func retired(of userID: Int64 = 1, family: [UInt8]? = nil) -> Token {
    var token = Token(digest: [UInt8](repeating: 1, count: 32), userID: userID, expiresAt: 0, createdAt: 0)
    token.isRetired = true
    if let family { token.family = family }
    return token
  }

  @Test func `a valid document passes`() throws {
    try Self.sound.check()
    try StateDocument().check()
    var document = Self.sound
    document.photos[0].row.contentType = ContentType(beginning: [0, 0, 1, 0]).name
    try document.check()
  }

  static let wrong: [(@Sendable (inout StateDocument) -> Void, String)] = [
    (
      {
        $0.users[0].id = 0; $0.tokens = []; $0.photos = []; $0.notes = []
      }, "users[0].id must be a whole number from 1 to 9007199254740991."
    ),
    (
      { $0.users.append(.init(id: 1, email: "b@b.c", passwordHash: hash, createdAt: 0)) },
      "users[1].id: another record has 1, too."
    ),
    (
      { $0.users.append(.init(id: 2, email: "a@b.c", passwordHash: hash, createdAt: 0)) },
      "users[1].email: another record has a@b.c, too."
    ),
    ({ $0.users[0].email = "jane" }, "users[0].email is invalid: signup would not take \"jane\" either."),
    ({ $0.users[0].lastName = "\0" }, "users[0].last_name contains a NUL character."),
    (
      { $0.users[0].passwordHash = "secret12" },
      "users[0].password_hash is not a bcrypt hash. POST /__admin/seed accepts plain passwords."
    ),
    ({ $0.users[0].updatedAt = -1 }, "users[0].updated_at is not from 1970 to 9999."),
    ({ $0.tokens[0].digest = [1] }, "tokens[0].digest is not a SHA-256, which has 32 bytes."),
    ({ $0.tokens.append($0.tokens[0]) }, "tokens[1].digest: another record has \(hex), too."),
    ({ $0.tokens[0].userID = 2 }, "tokens[0].user_id is 2, and there is no such user."),
    ({ $0.tokens[0].refreshedAt = -1 }, "tokens[0].refreshed_at is not from 1970 to 9999."),
    ({ $0.tokens = [retired(family: [1])] }, "retired_tokens[0].family is not a SHA-256, which has 32 bytes."),
    ({ $0.tokens.append(retired()) }, "retired_tokens[0].digest: another record has \(hex), too."),
    ({ $0.tokens = [retired(of: 9)] }, "retired_tokens[0].user_id is 9, and there is no such user."),
    ({ $0.photos[0].row.id = .max }, "photos[0].id must be a whole number from 0 to 9007199254740991."),
    ({ $0.photos[0].row.randomID = "../etc" }, "photos[0].random_id must have 41 letters from a to z and A to Z."),
    ({ $0.photos.append($0.photos[0]) }, "photos[1].random_id: another record has \(id), too."),
    ({ $0.photos[0].row.userID = 7 }, "photos[0].user_id is 7, and there is no such user."),
    (
      { $0.photos[0].row.title = String(repeating: "x", count: 256) }, "photos[0].title has more than 255 characters."
    ),
    (
      { $0.photos[0].row.contentType = "text/html" },
      "photos[0].content_type is not a type that the server finds in photos; leave it out to have it found."
    ),
    (
      { $0.photos[0].row.contentType = "image/svg+xml" },
      "photos[0].content_type is not a type that the server finds in photos; leave it out to have it found."
    ),
    ({ $0.photos[0].path = "/a" }, "photos[0].path and base64 exclude each other."),
    ({ $0.notes[0].userID = 9 }, "notes[0].user_id is 9, and there is no such user."),
    (
      { $0.notes[0].title = String(repeating: "x", count: 256) },
      "notes[0]: Title is too long (maximum is 255 characters)."
    ),
    (
      { $0.microblog.users.append(.init(id: 2, name: "ada", passwordHash: hash, createdAt: 0)) },
      "microblog.users[1].name: another record has ada, too."
    ),
    ({ $0.microblog.sessions[0].digest = [] }, "microblog.sessions[0].digest is not a SHA-256, which has 32 bytes."),
    (
      { $0.microblog.blogposts.append($0.microblog.blogposts[0]) },
      "microblog.blogposts[1].uuid: another record has 1, too."
    ),
    ({ $0.lastUserID = -1 }, "last_user_id must be a whole number from 0 to 9007199254740991."),
    ({ $0.lastPhotoID = .max }, "last_photo_id must be a whole number from 0 to 9007199254740991."),
  ]

  @Test(arguments: wrong)
  func `each mistake is named`(_ change: @Sendable (inout StateDocument) -> Void, _ problem: String) {
    var document = Self.sound
    change(&document)
    let error = #expect(throws: ControlError.self) { try document.check() }
    #expect(error?.problems == [problem])
  }

  @Test func `the error names the first of many mistakes, and how many more there are`() {
    var document = Self.sound
    document.photos[0].row.userID = 9
    document.tokens = (0..<30).map {
      .init(digest: [UInt8](repeating: $0, count: 32), userID: 2, expiresAt: 0, createdAt: 0)
    }
    let error = #expect(throws: ControlError.self) { try document.check() }
    #expect(error?.problems.count == 31)
    #expect(error?.description.hasSuffix("And 11 more.") == true)
  }
}
