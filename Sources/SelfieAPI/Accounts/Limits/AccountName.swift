/// How its user names an account when signing in.
enum AccountName: Sendable, Equatable {
  case email(String)
  /// In the Microblog app.
  case microblogName(String)

  var text: String {
    switch self {
    case .email(let text), .microblogName(let text): text
    }
  }
}

/// An account with a password that can be guessed.
protocol PasswordAccount: RowRecord, Sendable {
  var id: Int64 { get }
  var accountName: AccountName { get }
}
