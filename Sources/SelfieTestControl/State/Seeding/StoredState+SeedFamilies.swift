import Platform
import SQLite
import SelfieAPI

extension StoredState {
  /// A user of the Microblog app with every omitted field filled in. The sessions get the user's id with its row.
  struct NewMicroblogUser: Sendable {
    let user: MicroblogUser
    let password: String
    let sessions: [(cookie: String, session: MicroblogSession)]
    let blogposts: [Blogpost]
  }

  func plan(_ users: [Seed.MicroblogUser], hashes: [ExactText: String], now: Int64) -> [NewMicroblogUser] {
    users.map { user in
      NewMicroblogUser(
        user: MicroblogUser(
          name: user.name, passwordHash: hashes[ExactText(user.password)] ?? "", createdAt: user.createdAt ?? now),
        password: user.password,
        sessions: user.sessions.map { session in
          let cookie = session.cookie ?? application.random.letters(MicroblogSession.cookieLength)
          let usedAt = session.usedAt ?? now
          return (
            cookie,
            MicroblogSession(
              digest: MicroblogSession.digest(of: Array(cookie.utf8)), userID: 0, createdAt: min(usedAt, now),
              usedAt: usedAt)
          )
        },
        blogposts: user.blogposts.map { post in
          Blogpost(
            uuid: post.uuid ?? application.random.uuid(), userID: 0, text: post.text, createdAt: post.createdAt ?? now)
        })
    }
  }

  /// A sentence for everything of which there is one already.
  static func taken(_ users: [NewMicroblogUser], on connection: Connection) throws -> [String] {
    var problems: [String] = []
    for user in users {
      let name = user.user.name
      if try MicroblogUserStore.find(name: name, on: connection) != nil {
        problems.append("There is a Microblog user with the name \(name) already.")
      }
      for (cookie, session) in user.sessions
      where try MicroblogSessionStore.exists(digest: session.digest, on: connection) {
        problems.append("The session \(cookie) of \(name) is there already.")
      }
      for post in user.blogposts where try BlogpostStore.exists(uuid: post.uuid, on: connection) {
        problems.append("The post \(post.uuid) of \(name) is there already.")
      }
    }
    return problems
  }

  /// Inserts the posts of all users in the order of their times, which is the order in which clients get them.
  static func insert(_ users: [NewMicroblogUser], on connection: Connection) throws -> [Seeded.MicroblogUser] {
    var ids: [Int64] = []
    var posts: [(user: Int, post: Blogpost)] = []
    for (index, new) in users.enumerated() {
      let id = try connection.insert(new.user)
      ids.append(id)
      for (_, var session) in new.sessions {
        session.userID = id
        try connection.insert(session)
      }
      for var post in new.blogposts {
        post.userID = id
        posts.append((index, post))
      }
    }
    var stored = [[Blogpost]](repeating: [], count: users.count)
    let ordered = posts.enumerated().sorted {
      ($0.element.post.createdAt, $0.offset) < ($1.element.post.createdAt, $1.offset)
    }
    for (index, var post) in ordered.map(\.element) {
      post.id = try connection.insert(post)
      stored[index].append(post)
    }
    return zip(users, zip(ids, stored)).map { new, inserted in
      Seeded.MicroblogUser(
        id: inserted.0, name: new.user.name, password: new.password, sessions: new.sessions.map(\.cookie),
        blogposts: inserted.1)
    }
  }
}
