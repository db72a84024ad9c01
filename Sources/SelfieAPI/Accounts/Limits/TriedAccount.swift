/// The account whose password is tried.
struct TriedAccount: Sendable {
  let name: AccountName
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

/// What was found for a name with which somebody wants to sign in.
struct FoundAccount<Account: PasswordAccount>: Sendable {
  /// Nil for what no account can have as its name.
  let name: AccountName?
  let account: Account?
  /// Nil where this process counts alone.
  let counts: SharedCounts?
}
