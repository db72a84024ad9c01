/// What the server has promised to one user.
final class Account {
  struct Photo {
    let id: String
    let title: String
    let sha256: [UInt8]
    let byteCount: Int
  }

  /// A write that was not acknowledged: it may have happened or not, but wholly.
  enum Doubt {
    case signup
    case signin
    /// - Parameter cannotBe: the server cannot have had all of it.
    case upload(title: String, sha256: [UInt8], byteCount: Int, cannotBe: Bool)
    case delete(id: String)
    case reset(to: String)
    case clear(token: String)
    case refresh
    case writeNote(title: String)
    case deleteNote(id: Int)

    var operation: Operation {
      switch self {
      case .signup: .signup
      case .signin: .signin
      case .upload: .upload
      case .delete: .delete
      case .reset: .reset
      case .clear: .clear
      case .refresh: .refresh
      case .writeNote: .writeNote
      case .deleteNote: .deleteNote
      }
    }
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
public enum Operation: String, CaseIterable, Sendable {
  case signup, signin, upload, delete, reset, clear, refresh, writeNote, deleteNote
}
