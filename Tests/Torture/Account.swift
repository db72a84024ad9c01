/// What the server has promised to one user.
final class Account {
  struct Photo {
    var id = ""
    let title: String
    let sha256: [UInt8]
    let byteCount: Int
  }

  /// A write that was not acknowledged: it may have happened or not, but wholly.
  struct Doubt {
    let operation: Operation
    /// The id of a photo, the new password, the token that is to end, or the title of a note.
    var text = ""
    var note = 0
    /// What was uploaded, without an id.
    var photo: Photo?
    /// Whether the server cannot have had all of it.
    var cannotBe = false
  }

  /// More are forgotten, those of long ago first.
  private static let mostRemembered = 8

  let email: String
  var password: String
  private(set) var formerPasswords: [String] = []
  /// Those that were given and live.
  var tokens: [String] = []
  /// Those that have ended.
  private(set) var endedTokens: [String] = []
  var photos: [String: Photo] = [:]
  private(set) var deletedPhotos: [String] = []
  /// The titles of the notes, by id.
  var notes: [Int: String] = [:]
  var doubt: Doubt?
  /// Whether what is in doubt was refused with the promise that it has not happened.
  var isRefused = false
  /// How often it was verified.
  var age = 0

  init(email: String, password: String) {
    self.email = email
    self.password = password
  }

  func deleted(_ id: String) {
    photos[id] = nil
    deletedPhotos = Array((deletedPhotos + [id]).suffix(Self.mostRemembered))
  }

  func cleared(_ token: String) {
    tokens.removeAll { $0 == token }
    endedTokens = Array((endedTokens + [token]).suffix(Self.mostRemembered))
  }

  /// A new password ends every token.
  func changed(to password: String) {
    formerPasswords = Array((formerPasswords + [self.password]).suffix(Self.mostRemembered))
    self.password = password
    for token in tokens { cleared(token) }
  }
}

/// What a client does that the server must not forget.
package enum Operation: String, CaseIterable, Sendable {
  case signup, signin, upload, delete, reset, clear, refresh, writeNote, deleteNote
}
