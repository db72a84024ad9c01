import HTTPMessages
import SelfieAPI

// Notes, and the member `microblog`, of a seed and of the response to it.
extension Seed.Note {
  init(_ members: JSONMembers) throws {
    try members.allow("title", "body", "created_at", "updated_at")
    self.init(
      title: try members.text("title") ?? "", body: try members.text("body") ?? "",
      createdAt: try members.instant("created_at"), updatedAt: try members.instant("updated_at"))
  }
}

extension Seed.MicroblogUser {
  init(_ members: JSONMembers) throws {
    try members.allow("name", "password", "sessions", "blogposts", "created_at")
    self.init(
      name: try members.requiredText("name"), password: try members.text("password") ?? Seed.defaultPassword,
      sessions: try members.textsOrObjects("sessions", "cookie and used_at") {
        Seed.Session($0)
      } object: {
        try Seed.Session(members: $0)
      },
      blogposts: try members.textsOrObjects("blogposts", "text, uuid and created_at") {
        Seed.Blogpost($0)
      } object: {
        try Seed.Blogpost(members: $0)
      },
      createdAt: try members.instant("created_at"))
  }
}

extension Seed.Session {
  fileprivate init(members: JSONMembers) throws {
    try members.allow("cookie", "used_at")
    self.init(try members.text("cookie"), usedAt: try members.instant("used_at"))
  }
}

extension Seed.Blogpost {
  fileprivate init(members: JSONMembers) throws {
    try members.allow("text", "uuid", "created_at")
    self.init(
      try members.requiredText("text"), uuid: try members.text("uuid"), createdAt: try members.instant("created_at"))
  }
}

extension JSONWriter {
  mutating func members(of user: Seeded.MicroblogUser) {
    member("id", user.id)
    member("name", user.name)
    member("password", user.password)
    member("sessions", objects: user.sessions) { $0.member("cookie", $1) }
    member("blogposts", objects: user.blogposts) { json, post in
      json.member("uuid", post.uuid)
      json.member("text", post.text)
      json.member("created_at", time: post.createdAt)
    }
  }
}
