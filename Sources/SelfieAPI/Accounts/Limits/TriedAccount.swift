/// The account whose password is tried.
struct TriedAccount: Sendable {
  /// What its user signs in with.
  enum Name: Sendable {
    case email(String)
    /// In the Microblog app.
    case microblogName(String)

    var text: String {
      switch self {
      case .email(let text), .microblogName(let text): text
      }
    }
  }

  let name: Name
  /// Nil if no account has the name.
  let id: Int64?

  /// What its failures are counted for in this process.
  var key: AttemptCounter.Key {
    switch (name, id) {
    case (.email, let id?): .account(id)
    case (.microblogName, let id?): .microblogAccount(id)
    case (_, nil): .unknown(Array(name.text.utf8))
    }
  }

  /// How the log names it; nil if there is no such account.
  var logged: SecurityLog.Account? {
    switch (name, id) {
    case (.email, let id?): .user(id)
    case (.microblogName, let id?): .microblogUser(id)
    case (_, nil): nil
    }
  }
}
