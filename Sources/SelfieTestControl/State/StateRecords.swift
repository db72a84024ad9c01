import Cryptography
import Platform
import SelfieAPI

// The records of a state as JSON, and what must be right of them.

extension StateDocument: JSONRecord {
  static func blank(at now: Int64) -> Self { Self() }

  static let members: [JSONMember<Self>] = [
    .list("users", \.users), .list("tokens", \.[retired: false]), .list("retired_tokens", \.[retired: true]),
    .list("photos", \.photos), .list("notes", \.notes), .optional("microblog", \.microblog, .record()),
    .nullable("last_user_id", \.lastUserID, .lastID), .nullable("last_photo_id", \.lastPhotoID, .lastID),
    .nullable("last_note_id", \.lastNoteID, .lastID),
  ]
}

extension StateDocument {
  /// The tokens that are retired, or the others: JSON has a list of each.
  fileprivate subscript(retired isRetired: Bool) -> [Token] {
    get { tokens.filter { $0.isRetired == isRetired } }
    set {
      tokens.removeAll { $0.isRetired == isRetired }
      for var token in newValue {
        token.isRetired = isRetired
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
    .required("id", \.id, .id.unique("user")), .required("email", \.email, .email),
    .nullable("first_name", \.firstName, .text), .nullable("last_name", \.lastName, .text),
    .required("password_hash", \.passwordHash, .passwordHash),
    .optional("created_at", \.createdAt, .instant), .optional("updated_at", \.updatedAt, .instant, else: \.createdAt),
    .nullable("disabled_at", \.disabledAt, .instant),
  ]
}

extension Token: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(digest: [], userID: 0, expiresAt: 0, createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .required("digest", \.digest, .digest.unique("token")), .required("user_id", \.userID, .id.owner()),
    .required("expires_at", \.expiresAt, .expiry), .optional("created_at", \.createdAt, .instant),
    .optional("family", \.family, .digestOrNone, else: \.digest), .nullable("refreshed_at", \.refreshedAt, .instant),
  ]
}

extension StateDocument.Photo: JSONRecord {
  static func blank(at now: Int64) -> Self {
    Self(
      SelfieAPI.Photo(
        randomID: "", userID: 0, name: nil, title: "", byteCount: -1, contentType: "", createdAt: now))
  }

  static let members: [JSONMember<Self>] = [
    .optional("id", \.row.id, .newID.unique("photo")), .required("random_id", \.row.randomID, .randomID),
    .required("user_id", \.row.userID, .id.owner()), .nullable("name", \.row.name, .text),
    .optional("title", \.row.title, .text), .optional("content_type", \.row.contentType, .contentType),
    .optional("byte_count", \.row.byteCount, .count), .nullable("sha256", \.row.sha256, .hex),
    .optional("created_at", \.row.createdAt, .instant),
    .optional("updated_at", \.row.updatedAt, .instant, else: \.row.createdAt), .omittable("path", \.path, .any),
    .omittable("base64", \.bytes, .base64),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if path != nil && bytes != nil { problems.add("\(place).path and base64 exclude each other.") }
    if path == nil && bytes == nil && row.sha256 == nil {
      problems.add("\(place).sha256 is missing; without it, pass the photo's path on the server, or its base64.")
    }
  }
}

extension Note: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(userID: 0, title: "", body: "", createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .optional("id", \.id, .newID.unique("note")), .required("user_id", \.userID, .id.owner()),
    .optional("title", \.title, .any), .optional("body", \.body, .any), .optional("created_at", \.createdAt, .instant),
    .optional("updated_at", \.updatedAt, .instant, else: \.createdAt),
  ]

  func checkWhole(_ place: String, _ problems: inout Problems) {
    if let problem = Note.problem(title: title, body: body) { problems.add("\(place): \(problem)") }
  }
}

extension MicroblogUser: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(name: "", passwordHash: "", createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .required("id", \.id, .id.unique("microblog user")), .required("name", \.name, .microblogName),
    .required("password_hash", \.passwordHash, .passwordHash), .optional("created_at", \.createdAt, .instant),
  ]
}

extension MicroblogSession: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(digest: [], userID: 0, createdAt: now, usedAt: now) }

  static let members: [JSONMember<Self>] = [
    .required("digest", \.digest, .digest.unique("session")),
    .required("user_id", \.userID, .id.owner("microblog user")), .optional("created_at", \.createdAt, .instant),
    .optional("used_at", \.usedAt, .instant, else: \.createdAt),
  ]
}

extension Blogpost: JSONRecord {
  static func blank(at now: Int64) -> Self { Self(uuid: "", userID: 0, text: "", createdAt: now) }

  static let members: [JSONMember<Self>] = [
    .optional("id", \.id, .newID.unique("post")), .required("uuid", \.uuid, .uuid),
    .required("user_id", \.userID, .id.owner("microblog user")), .required("text", \.text, .postText),
    .optional("created_at", \.createdAt, .instant),
  ]
}
