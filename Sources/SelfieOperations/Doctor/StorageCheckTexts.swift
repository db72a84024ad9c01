import Cryptography
import Platform
import SQLite
import SelfieAPI

// The tables of the Notes and the Microblog app.
extension StorageCheck {
  /// Checks that every note is one that a client can have stored, and counts for the bytes that it has.
  func checkNotes(_ connection: Connection) throws {
    var last: Int64 = 0
    while case let page = try NoteStore.page(after: last, on: connection), let newest = page.last {
      for (note, byteCount) in page {
        counts.notes += 1
        let name = "note \(note.id) of user \(note.userID)"
        if let problem = Note.problem(title: note.title, body: note.body) {
          foundRow("\(name): \(problem) Its user can change or delete it in the app.")
        }
        if byteCount != note.byteCount { try foundByteCount(byteCount, of: note, name, connection) }
      }
      last = newest.note.id
    }
  }

  private func foundByteCount(_ byteCount: Int64, of note: Note, _ name: String, _ connection: Connection) throws {
    let difference = "\(name) counts for \(counted(byteCount, "byte")), and has \(note.byteCount)"
    if options.repairs { try connection.transaction { try NoteStore.correctByteCount(of: note, on: connection) } }
    found(
      .wrongByteCount, StorageLayout.database,
      options.repairs ? "\(difference); corrected" : "\(difference). --repair corrects it.", isRepaired: options.repairs
    )
  }

  /// Checks that the users of Microblog can log in, that their sessions can be used, and that every post is one that a
  /// client can have sent.
  func checkMicroblog(_ connection: Connection) throws {
    try checkMicroblogUsers(connection)
    let unusable = try MicroblogSessionStore.countOfUnusable(on: connection)
    if unusable > 0 {
      if options.repairs { try connection.transaction { try MicroblogSessionStore.removeUnusable(on: connection) } }
      let what = "\(counted(unusable, "session")) of Microblog that no cookie can open"
      found(
        .unusableSession, StorageLayout.database,
        options.repairs ? "\(what); deleted" : "\(what). --repair deletes such sessions.", isRepaired: options.repairs)
    }
    var last: Int64 = 0
    while case let page = try BlogpostStore.page(after: last, on: connection), let newest = page.last {
      for post in page {
        counts.blogposts += 1
        guard let problem = Blogpost.problem(text: post.text) else { continue }
        foundRow("post \(post.uuid) of Microblog: \(problem) Delete its row, or restore a backup.")
      }
      last = newest.id
    }
  }

  private func checkMicroblogUsers(_ connection: Connection) throws {
    var last: Int64 = 0
    while case let page = try MicroblogUserStore.page(after: last, on: connection), let newest = page.last {
      for user in page {
        let name = "user \(user.id) of Microblog"
        if let problem = MicroblogUser.problem(name: user.name) {
          foundRow("\(name): \(problem) Change the name, or restore a backup.")
        }
        if !PasswordHash.isHash(user.passwordHash) {
          foundRow("\(name): the password is no bcrypt hash, so the user cannot log in. Restore a backup.")
        }
      }
      last = newest.id
    }
  }

  private func foundRow(_ message: String) {
    found(.invalidRow, StorageLayout.database, message)
  }
}
