import Cryptography
import HTTPMessages
import SelfieAPI

// The member `microblog` of a state.
extension JSONWriter {
  mutating func members(of state: MicroblogState) {
    member("users", objects: state.users) { json, user in
      json.member("id", user.id)
      json.member("name", user.name)
      json.member("password_hash", user.passwordHash)
      json.member("created_at", readable: user.createdAt)
    }
    member("sessions", objects: state.sessions) { json, session in
      json.member("digest", Digest.hex(session.digest))
      json.member("user_id", session.userID)
      json.member("created_at", readable: session.createdAt)
      json.member("used_at", readable: session.usedAt)
    }
    member("blogposts", objects: state.blogposts) { json, post in
      json.member("id", post.id)
      json.member("uuid", post.uuid)
      json.member("user_id", post.userID)
      json.member("text", post.text)
      json.member("created_at", readable: post.createdAt)
    }
    member("last_user_id", state.lastUserID)
    member("last_blogpost_id", state.lastBlogpostID)
  }
}

extension MicroblogState {
  /// - Parameter now: the time of creation where none is given.
  init(_ members: JSONMembers, now: Int64) throws {
    try members.allow("users", "sessions", "blogposts", "last_user_id", "last_blogpost_id")
    self.init(
      users: try members.objects("users")?.map { try MicroblogUser($0, now: now) } ?? [],
      sessions: try members.objects("sessions")?.map { try MicroblogSession($0, now: now) } ?? [],
      blogposts: try members.objects("blogposts")?.map { try Blogpost($0, now: now) } ?? [],
      lastUserID: try members.integer("last_user_id", in: 0...Int64.max),
      lastBlogpostID: try members.integer("last_blogpost_id", in: 0...Int64.max))
  }
}

extension MicroblogUser {
  fileprivate init(_ members: JSONMembers, now: Int64) throws {
    try members.allow("id", "name", "password_hash", "created_at")
    self.init(
      id: try members.requiredID("id"), name: try members.requiredText("name"),
      passwordHash: try members.requiredText("password_hash"), createdAt: try members.instant("created_at") ?? now)
  }
}

extension MicroblogSession {
  fileprivate init(_ members: JSONMembers, now: Int64) throws {
    try members.allow("digest", "user_id", "created_at", "used_at")
    guard let digest = try members.hex("digest") else { throw members.wrong("digest", "is missing") }
    let createdAt = try members.instant("created_at") ?? now
    self.init(
      digest: digest, userID: try members.requiredID("user_id"), createdAt: createdAt,
      usedAt: try members.instant("used_at") ?? createdAt)
  }
}

extension Blogpost {
  fileprivate init(_ members: JSONMembers, now: Int64) throws {
    try members.allow("id", "uuid", "user_id", "text", "created_at")
    self.init(
      id: try members.integer("id", in: 1...Int64.max) ?? 0, uuid: try members.requiredText("uuid"),
      userID: try members.requiredID("user_id"), text: try members.requiredText("text"),
      createdAt: try members.instant("created_at") ?? now)
  }
}
