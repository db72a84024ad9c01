import Cryptography
import SelfieAPI

// The records of the Notes and the Microblog app.
extension StateValidator {
  mutating func checkNotes() {
    var ids: Set<Int64> = []
    records.check(id: document.lastNoteID, "last_note_id", from: 0)
    for (index, note) in document.notes.enumerated() {
      let place = "notes[\(index)]"
      if note.id != 0 { records.check(id: note.id, "\(place).id") }
      if note.id != 0 && !ids.insert(note.id).inserted {
        records.add("\(place): another note has the id \(note.id), too.")
      }
      checkOwner(note.userID, place)
      if let problem = note.problem { records.add("\(place): \(problem)") }
      records.check(instant: note.createdAt, "\(place).created_at")
      records.check(instant: note.updatedAt, "\(place).updated_at")
    }
  }

  mutating func checkMicroblog() {
    let microblog = document.microblog
    var (userIDs, names): (Set<Int64>, Set<String>) = ([], [])
    records.check(id: microblog.lastUserID, "microblog.last_user_id", from: 0)
    for (index, user) in microblog.users.enumerated() {
      let place = "microblog.users[\(index)]"
      records.check(id: user.id, "\(place).id")
      if !userIDs.insert(user.id).inserted { records.add("\(place): another user has the id \(user.id), too.") }
      records.check(text: user.name, "\(place).name")
      if !names.insert(user.name).inserted { records.add("\(place): another user has the name \(user.name), too.") }
      if !PasswordHash.isHash(user.passwordHash) { records.add("\(place).password_hash is no bcrypt hash.") }
      records.check(instant: user.createdAt, "\(place).created_at")
    }
    func checkOwner(_ userID: Int64, _ place: String) {
      if !userIDs.contains(userID) { records.add("\(place).user_id is \(userID), and there is no such user.") }
    }
    var digests: Set<[UInt8]> = []
    for (index, session) in microblog.sessions.enumerated() {
      let place = "microblog.sessions[\(index)]"
      checkDigest(session.digest, place)
      if !digests.insert(session.digest).inserted { records.add("\(place): another session has the same digest.") }
      checkOwner(session.userID, place)
      records.check(instant: session.createdAt, "\(place).created_at")
      records.check(instant: session.usedAt, "\(place).used_at")
    }
    var (ids, uuids): (Set<Int64>, Set<String>) = ([], [])
    records.check(id: microblog.lastBlogpostID, "microblog.last_blogpost_id", from: 0)
    for (index, post) in microblog.blogposts.enumerated() {
      let place = "microblog.blogposts[\(index)]"
      if post.id != 0 { records.check(id: post.id, "\(place).id") }
      if post.id != 0 && !ids.insert(post.id).inserted {
        records.add("\(place): another post has the id \(post.id), too.")
      }
      records.check(text: post.uuid, "\(place).uuid")
      if !uuids.insert(post.uuid).inserted { records.add("\(place): another post has the uuid \(post.uuid), too.") }
      checkOwner(post.userID, place)
      if let problem = post.problem { records.add("\(place).\(problem)") }
      records.check(instant: post.createdAt, "\(place).created_at")
    }
  }

  mutating func checkDigest(_ digest: [UInt8], _ place: String) {
    guard digest.count != SHA256.byteCount else { return }
    records.add("\(place).digest is no SHA-256, which has \(SHA256.byteCount) bytes.")
  }
}
