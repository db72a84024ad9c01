import Cryptography
import Platform
import SelfieAPI

// The records of a state as JSON, and what must be right of them.

extension StateDocument: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .list("users", \.users), .list("tokens", \.currentTokens), .list("retired_tokens", \.retiredTokens),
    .list("photos", \.photos), .list("notes", \.notes), .object("microblog", \.givenMicroblog),
    .nullable("last_user_id", \.lastUserID, .lastID), .nullable("last_photo_id", \.lastPhotoID, .lastID),
    .nullable("last_note_id", \.lastNoteID, .lastID),
  ]
}

extension StateDocument {
  /// Nil in a document that says nothing of it.
  fileprivate var givenMicroblog: MicroblogState? {
    get { microblog }
    set { microblog = newValue ?? MicroblogState() }
  }

  /// Those that are not retired, which are a list of their own.
  fileprivate var currentTokens: [Token] {
    get { tokens.filter { !$0.isRetired } }
    set { tokens = newValue + retiredTokens }
  }

  fileprivate var retiredTokens: [Token] {
    get { tokens.filter(\.isRetired) }
    set {
      tokens = currentTokens
      for var token in newValue {
        token.isRetired = true
        tokens.append(token)
      }
    }
  }
}

extension MicroblogState: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .list("users", \.users), .list("sessions", \.sessions), .list("blogposts", \.blogposts),
    .nullable("last_user_id", \.lastUserID, .lastID), .nullable("last_blogpost_id", \.lastBlogpostID, .lastID),
  ]
}

extension User: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(email: "", passwordHash: "", createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .required("id", \.id, .id), .required("email", \.email, .email), .nullable("first_name", \.firstName, .text),
    .nullable("last_name", \.lastName, .text), .required("password_hash", \.passwordHash, .passwordHash),
    .optional("created_at", \.createdAt, .instant), .optional("updated_at", \.updatedAt, .instant, else: \.createdAt),
    .nullable("disabled_at", \.disabledAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    problems.check(id, isFirst: "user", "\(place): another user has the id \(id), too.")
    problems.check(ExactText(email), isFirst: "email", "\(place): another user has the email \(email), too.")
  }
}

extension Token: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(digest: [], userID: 0, expiresAt: 0, createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .required("digest", \.digest, .digest), .required("user_id", \.userID, .id),
    .required("expires_at", \.expiresAt, .expiry), .optional("created_at", \.createdAt, .instant),
    .optional("family", \.family, .digestOrNone, else: \.digest), .nullable("refreshed_at", \.refreshedAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    problems.check(digest, isFirst: "token", "\(place): another token has the same digest.")
    problems.check(owner: userID, place)
  }
}

extension StateDocument.Photo: JSONRecord {
  static func blank(at now: Int64) -> Self {
    Self(
      SelfieAPI.Photo(
        randomID: "", userID: 0, name: nil, title: "", byteCount: -1, contentType: "", createdAt: now))
  }

  static let members: [JSONMember<Self>] = [
    .optional("id", \.row.id, .newID), .required("random_id", \.row.randomID, .randomID),
    .required("user_id", \.row.userID, .id), .nullable("name", \.row.name, .text),
    .optional("title", \.row.title, .text), .optional("content_type", \.row.contentType, .contentType),
    .optional("byte_count", \.row.byteCount, .count), .nullable("sha256", \.row.sha256, .hex),
    .optional("created_at", \.row.createdAt, .instant),
    .optional("updated_at", \.row.updatedAt, .instant, else: \.row.createdAt), .omittable("path", \.path, .any),
    .omittable("base64", \.bytes, .base64),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    let (id, randomID) = (row.id, row.randomID)
    if id != 0 { problems.check(id, isFirst: "photo", "\(place): another photo has the id \(id), too.") }
    problems.check(
      randomID, isFirst: "random_id", "\(place): another photo has the random_id \(randomID), too.")
    problems.check(owner: row.userID, place)
    if path != nil && bytes != nil { problems.add("\(place).path and base64 exclude each other.") }
    if path == nil && bytes == nil && row.sha256 == nil {
      problems.add("\(place).sha256 is missing; without it, pass the photo's path on the server, or its base64.")
    }
  }
}

extension Note: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(userID: 0, title: "", body: "", createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .optional("id", \.id, .newID), .required("user_id", \.userID, .id), .optional("title", \.title, .any),
    .optional("body", \.body, .any), .optional("created_at", \.createdAt, .instant),
    .optional("updated_at", \.updatedAt, .instant, else: \.createdAt),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if id != 0 { problems.check(id, isFirst: "note", "\(place): another note has the id \(id), too.") }
    problems.check(owner: userID, place)
    if let problem = Note.problem(title: title, body: body) { problems.add("\(place): \(problem)") }
  }
}

extension MicroblogUser: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(name: "", passwordHash: "", createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .required("id", \.id, .id), .required("name", \.name, .any),
    .required("password_hash", \.passwordHash, .passwordHash), .optional("created_at", \.createdAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    problems.check(id, isFirst: "microblog user", "\(place): another user has the id \(id), too.")
    problems.check(ExactText(name), isFirst: "name", "\(place): another user has the name \(name), too.")
    if let problem = MicroblogUser.problem(name: name) { problems.add("\(place).name: \(problem)") }
  }
}

extension MicroblogSession: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(digest: [], userID: 0, createdAt: now, usedAt: now) }

  static let members: [JSONMember<Self>] = [
    .required("digest", \.digest, .digest), .required("user_id", \.userID, .id),
    .optional("created_at", \.createdAt, .instant), .optional("used_at", \.usedAt, .instant, else: \.createdAt),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    problems.check(digest, isFirst: "session", "\(place): another session has the same digest.")
    problems.check(owner: userID, of: "microblog user", place)
  }
}

extension Blogpost: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(uuid: "", userID: 0, text: "", createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .optional("id", \.id, .newID), .required("uuid", \.uuid, .text), .required("user_id", \.userID, .id),
    .required("text", \.text, .any), .optional("created_at", \.createdAt, .instant),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if id != 0 { problems.check(id, isFirst: "post", "\(place): another post has the id \(id), too.") }
    problems.check(ExactText(uuid), isFirst: "uuid", "\(place): another post has the uuid \(uuid), too.")
    problems.check(owner: userID, of: "microblog user", place)
    if let problem = Blogpost.problem(text: text) { problems.add("\(place).\(problem)") }
  }
}

extension Problems {
  /// Users come before what is theirs.
  fileprivate mutating func check(owner id: Int64, of users: String = "user", _ place: String) {
    check(id, isOneOf: users, "\(place).user_id is \(id), and there is no such user.")
  }
}
