import Cryptography
import Platform
import SelfieAPI

// What is wrong with rows of the Notes and the Microblog app, in whatever database they are.

extension Note {
  fileprivate var shownName: String { "note \(id) of user \(userID)" }

  /// Nil if a client can have stored the note.
  var finding: String? {
    Note.problem(title: title, body: body).map {
      "\(shownName): \($0) Its user can change or delete it in the app."
    }
  }
}

extension CountedNote {
  var countsForItsBytes: Bool { byteCount == note.byteCount }

  /// What is said of one that does not.
  func finding(isRepaired: Bool) -> String {
    "\(note.shownName) counts for \(counted(byteCount, "byte")), and has \(note.byteCount)"
      + (isRepaired ? "; corrected" : ". --repair corrects it.")
  }
}

extension MicroblogUser {
  /// What keeps the user from logging in.
  var findings: [String] {
    let name = "user \(id) of Microblog"
    var findings: [String] = []
    if let problem = MicroblogUser.problem(name: self.name) {
      findings.append("\(name): \(problem) Change the name, or restore a backup.")
    }
    if !PasswordHash.isHash(passwordHash) {
      findings.append(
        "\(name): the password is no bcrypt hash, so the user cannot log in. Restore a backup.")
    }
    return findings
  }
}

extension MicroblogSession {
  /// What is said of sessions that no client can use.
  static func finding(ofUnusable count: Int64, isRepaired: Bool) -> String {
    let what = "\(counted(count, "session")) of Microblog that no cookie can open"
    return isRepaired ? "\(what); deleted" : "\(what). --repair deletes such sessions."
  }
}

extension Blogpost {
  /// Nil if a client can have sent the post.
  var finding: String? {
    Blogpost.problem(text: text).map {
      "post \(uuid) of Microblog: \($0) Delete its row, or restore a backup."
    }
  }
}
