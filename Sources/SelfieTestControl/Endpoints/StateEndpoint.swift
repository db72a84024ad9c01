import Cryptography
import HTTPMessages
import Platform
import SelfieAPI

extension World {
  /// `GET /__admin/state`: exports the stored state.
  func exportState(_ call: ControlCall) async throws -> Response {
    let document = try await state.exportState()
    return try await application.onWorker { .json { $0.members(of: document) } }
  }

  /// `POST /__admin/state`: replaces the stored state by an exported one.
  func importState(_ call: ControlCall) async throws -> Response {
    let bytes = try await call.bytes(upTo: Self.maxStateBytes)
    let now = application.clock()
    let document = try await application.onWorker { try StateDocument(try ControlCall.members(of: bytes), now: now) }
    let folder = call.seedFolder
    let counts = try await state.importState(document) { path throws(NoPlainFile) in
      guard let folder else {
        throw NoPlainFile("the server was started without --seed-folder, so it reads no files by path; give base64")
      }
      return try folder.open(path)
    }
    return .json { $0.members(of: counts) }
  }

  /// The limit of a body with photos. The largest photo that the API takes by default fits as base64. A body is held in
  /// memory twice, so a test machine could not take much more.
  static let maxStateBytes = 96 * 1024 * 1024
}

// MARK: - As JSON

extension JSONWriter {
  fileprivate mutating func members(of document: StateDocument) {
    member("users", objects: document.users) { $0.members(of: $1) }
    member("tokens", objects: document.tokens.filter { !$0.isRetired }) { $0.members(of: $1) }
    member("retired_tokens", objects: document.tokens.filter(\.isRetired)) { $0.members(of: $1) }
    member("photos", objects: document.photos) { $0.members(of: $1) }
    member("notes", objects: document.notes) { $0.members(of: $1) }
    key("microblog")
    object { $0.members(of: document.microblog) }
    member("last_user_id", document.lastUserID)
    member("last_photo_id", document.lastPhotoID)
    member("last_note_id", document.lastNoteID)
  }

  mutating func members(of note: Note) {
    member("id", note.id)
    member("user_id", note.userID)
    member("title", note.title)
    member("body", note.body)
    member("created_at", readable: note.createdAt)
    member("updated_at", readable: note.updatedAt)
  }

  private mutating func members(of user: User) {
    member("id", user.id)
    member("email", user.email)
    member("first_name", user.firstName)
    member("last_name", user.lastName)
    member("password_hash", user.passwordHash)
    member("created_at", readable: user.createdAt)
    member("updated_at", readable: user.updatedAt)
    member("disabled_at", readable: user.disabledAt)
  }

  private mutating func members(of token: Token) {
    member("digest", Digest.hex(token.digest))
    member("user_id", token.userID)
    member("expires_at", readable: token.expiresAt)
    member("created_at", readable: token.createdAt)
    member("family", Digest.hex(token.family))
    member("refreshed_at", readable: token.refreshedAt)
  }

  private mutating func members(of photo: StateDocument.Photo) {
    member("id", photo.id)
    member("random_id", photo.randomID)
    member("user_id", photo.userID)
    member("name", photo.name)
    member("title", photo.title)
    member("content_type", photo.contentType)
    member("byte_count", photo.byteCount)
    member("sha256", photo.content.sha256.map(Digest.hex))
    member("created_at", readable: photo.createdAt)
    member("updated_at", readable: photo.updatedAt)
  }

  /// Writes the closest instant that an import can read, whose year has four digits.
  mutating func member(_ name: StaticString, readable instant: Int64?) {
    let range = WorldClock.range
    member(name, time: instant.map { min(max($0, range.lowerBound), range.upperBound) })
  }
}

extension StateDocument {
  /// - Parameter now: the time of creation where none is given.
  fileprivate init(_ body: JSONMembers, now: Int64) throws {
    try body.allow(
      "users", "tokens", "retired_tokens", "photos", "notes", "microblog", "last_user_id", "last_photo_id",
      "last_note_id")
    guard let users = try body.objects("users") else {
      throw body.wrong("users", #"is missing; {"users":[]} is the shortest state, in which there is nothing"#)
    }
    self.init(
      users: try users.map { try User($0, now: now) },
      tokens: try (body.objects("tokens") ?? []).map { try Token($0, isRetired: false, now: now) }
        + (body.objects("retired_tokens") ?? []).map { try Token($0, isRetired: true, now: now) },
      photos: try body.objects("photos")?.map(Photo.init) ?? [],
      notes: try body.objects("notes")?.map { try Note($0, now: now) } ?? [],
      microblog: try body.object("microblog").map { try MicroblogState($0, now: now) } ?? MicroblogState(),
      lastUserID: try body.integer("last_user_id", in: 0...Int64.max),
      lastPhotoID: try body.integer("last_photo_id", in: 0...Int64.max),
      lastNoteID: try body.integer("last_note_id", in: 0...Int64.max))
  }
}

extension User {
  fileprivate init(_ members: JSONMembers, now: Int64) throws {
    try members.allow(
      "id", "email", "first_name", "last_name", "password_hash", "created_at", "updated_at",
      "disabled_at")
    self.init(
      id: try members.requiredID("id"), email: try members.requiredText("email"),
      firstName: try members.text("first_name"), lastName: try members.text("last_name"),
      passwordHash: try members.requiredText("password_hash"), createdAt: try members.instant("created_at") ?? now,
      updatedAt: try members.instant("updated_at"), disabledAt: try members.instant("disabled_at"))
  }
}

extension Token {
  fileprivate init(_ members: JSONMembers, isRetired: Bool, now: Int64) throws {
    try members.allow("digest", "user_id", "expires_at", "created_at", "family", "refreshed_at")
    guard let digest = try members.hex("digest") else { throw members.wrong("digest", "is missing") }
    guard let expiresAt = try members.instant("expires_at") else { throw members.wrong("expires_at", "is missing") }
    self.init(
      digest: digest, userID: try members.requiredID("user_id"), expiresAt: expiresAt,
      createdAt: try members.instant("created_at") ?? now, family: try members.hex("family"),
      refreshedAt: try members.instant("refreshed_at"), isRetired: isRetired)
  }
}

extension Note {
  fileprivate init(_ members: JSONMembers, now: Int64) throws {
    try members.allow("id", "user_id", "title", "body", "created_at", "updated_at")
    self.init(
      id: try members.integer("id", in: 1...Int64.max) ?? 0, userID: try members.requiredID("user_id"),
      title: try members.text("title") ?? "", body: try members.text("body") ?? "",
      createdAt: try members.instant("created_at") ?? now, updatedAt: try members.instant("updated_at"))
  }
}

extension StateDocument.Photo {
  fileprivate init(_ members: JSONMembers) throws {
    try members.allow(
      "id", "random_id", "user_id", "name", "title", "content_type", "byte_count", "sha256", "created_at",
      "updated_at", "path", "base64")
    self.init(
      id: try members.integer("id", in: 1...Int64.max), randomID: try members.requiredText("random_id"),
      userID: try members.requiredID("user_id"), name: try members.text("name"),
      title: try members.text("title") ?? "", contentType: try members.text("content_type"),
      byteCount: try members.integer("byte_count", in: 0...Int64.max), createdAt: try members.instant("created_at"),
      updatedAt: try members.instant("updated_at"), content: try Self.content(members))
  }

  private static func content(_ members: JSONMembers) throws -> StateDocument.Content {
    let sha256 = try members.hex("sha256")
    switch (try members.text("path"), try members.base64("base64")) {
    case (let path?, nil): return .file(path: path, sha256: sha256)
    case (nil, let bytes?): return .bytes(bytes, sha256: sha256)
    case (nil, nil):
      guard let sha256 else {
        throw members.wrong("sha256", "is missing; without it, give the photo's path on the server, or its base64")
      }
      return .kept(sha256: sha256)
    default: throw members.wrong("path", "and base64 exclude each other")
    }
  }
}

extension JSONMembers {
  func requiredID(_ name: String) throws -> Int64 {
    guard let id = try integer(name, in: 1...Int64.max) else { throw wrong(name, "is missing; it must be a number") }
    return id
  }
}
