import Cryptography
import Platform
import SelfieAPI

// The records of the Notes and the Microblog app.
extension SeedValidator {
  mutating func check(_ notes: [Seed.Note], _ place: String) {
    if notes.count > Int(Note.maxPerUser) {
      records.add("\(place): a user has at most \(Note.maxPerUser) notes, not \(notes.count).")
    }
    let byteCount = notes.reduce(0) { $0 + Int64($1.title.utf8.count) + Int64($1.body.utf8.count) }
    if byteCount > Note.maxBytesPerUser {
      records.add("\(place): the notes of a user have at most \(Note.maxBytesPerUser) bytes, not \(byteCount).")
    }
    for (index, note) in notes.enumerated() {
      let place = "\(place)[\(index)]"
      if let problem = Note.problem(title: note.title, body: note.body) { records.add("\(place): \(problem)") }
      records.check(instant: note.createdAt, "\(place).created_at")
      records.check(instant: note.updatedAt, "\(place).updated_at")
    }
  }

  mutating func check(_ user: Seed.MicroblogUser, _ place: String) {
    if let problem = MicroblogUser.problem(name: user.name) { records.add("\(place).name: \(problem)") }
    if !names.insert(ExactText(user.name)).inserted {
      records.add("\(place).name: another user of the seed has \(user.name), too.")
    }
    if let problem = MicroblogUser.problem(password: Array(user.password.utf8)) {
      records.add("\(place).password: \(problem)")
    }
    records.check(instant: user.createdAt, "\(place).created_at")
    if user.sessions.count > Int(MicroblogSessionStore.maxPerUser) {
      records.add(
        """
        \(place).sessions: a user has at most \(MicroblogSessionStore.maxPerUser) sessions, not \(user.sessions.count).
        """)
    }
    for (index, session) in user.sessions.enumerated() { check(session, "\(place).sessions[\(index)]") }
    if user.blogposts.count > Int(Blogpost.maxPerUser) {
      records.add("\(place).blogposts: a user has at most \(Blogpost.maxPerUser) posts, not \(user.blogposts.count).")
    }
    for (index, post) in user.blogposts.enumerated() { check(post, "\(place).blogposts[\(index)]") }
  }

  private mutating func check(_ session: Seed.Session, _ place: String) {
    records.check(instant: session.usedAt, "\(place).used_at")
    guard let cookie = session.cookie else { return }
    if cookie.utf8.count != MicroblogSession.cookieLength || !cookie.utf8.allSatisfy(\.isASCIIAlphanumeric) {
      records.add("\(place): the cookie of a session has \(MicroblogSession.cookieLength) letters or digits.")
    }
    if !cookies.insert(cookie).inserted { records.add("\(place): another session of the seed is the same.") }
  }

  private mutating func check(_ post: Seed.Blogpost, _ place: String) {
    if let problem = Blogpost.problem(text: post.text) { records.add("\(place).\(problem)") }
    records.check(instant: post.createdAt, "\(place).created_at")
    guard let uuid = post.uuid else { return }
    records.check(text: uuid, "\(place).uuid")
    if !uuids.insert(ExactText(uuid)).inserted { records.add("\(place).uuid: another post of the seed has the same.") }
  }
}
