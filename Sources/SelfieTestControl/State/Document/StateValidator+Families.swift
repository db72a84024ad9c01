import Cryptography
import Platform
import SelfieAPI

// The records of the Notes and the Microblog app.
extension StateValidator {
  mutating func checkNotes() {
    var ids: Set<Int64> = []
    records.check(id: document.lastNoteID, "last_note_id", from: 0)
    for (index, note) in document.notes.enumerated() {
      let place = "notes[\(index)]"
      let id = note.id == 0 ? nil : note.id
      records.check(id: id, "\(place).id")
      records.check(id, isNewIn: &ids, place, "note", "id")
      records.check(owner: note.userID, isIn: userIDs, place)
      if let problem = Note.problem(title: note.title, body: note.body) { records.add("\(place): \(problem)") }
      records.check(instant: note.createdAt, "\(place).created_at")
      records.check(instant: note.updatedAt, "\(place).updated_at")
    }
  }

  mutating func checkMicroblog() {
    let microblog = document.microblog
    var (userIDs, names): (Set<Int64>, Set<ExactText>) = ([], [])
    records.check(id: microblog.lastUserID, "microblog.last_user_id", from: 0)
    for (index, user) in microblog.users.enumerated() {
      let place = "microblog.users[\(index)]"
      records.check(id: user.id, "\(place).id")
      records.check(user.id, isNewIn: &userIDs, place, "user", "id")
      if let problem = MicroblogUser.problem(name: user.name) { records.add("\(place).name: \(problem)") }
      records.check(ExactText(user.name), isNewIn: &names, place, "user", "name")
      if !PasswordHash.isHash(user.passwordHash) { records.add("\(place).password_hash is no bcrypt hash.") }
      records.check(instant: user.createdAt, "\(place).created_at")
    }
    var digests: Set<[UInt8]> = []
    for (index, session) in microblog.sessions.enumerated() {
      let place = "microblog.sessions[\(index)]"
      records.check(digest: session.digest, isNewIn: &digests, place, "session")
      records.check(owner: session.userID, isIn: userIDs, place)
      records.check(instant: session.createdAt, "\(place).created_at")
      records.check(instant: session.usedAt, "\(place).used_at")
    }
    var (ids, uuids): (Set<Int64>, Set<ExactText>) = ([], [])
    records.check(id: microblog.lastBlogpostID, "microblog.last_blogpost_id", from: 0)
    for (index, post) in microblog.blogposts.enumerated() {
      let place = "microblog.blogposts[\(index)]"
      let id = post.id == 0 ? nil : post.id
      records.check(id: id, "\(place).id")
      records.check(id, isNewIn: &ids, place, "post", "id")
      records.check(text: post.uuid, "\(place).uuid")
      records.check(ExactText(post.uuid), isNewIn: &uuids, place, "post", "uuid")
      records.check(owner: post.userID, isIn: userIDs, place)
      if let problem = Blogpost.problem(text: post.text) { records.add("\(place).\(problem)") }
      records.check(instant: post.createdAt, "\(place).created_at")
    }
  }
}
