/// The events that an owner looks for in the log when accounts are attacked or changed. The names are for programs, so
/// they stay. `SecurityLog` writes the lines.
package enum SecurityEvent: String, CaseIterable, Sendable {
  /// An account's password was tried, and was not right.
  case wrongPassword = "wrong_password"
  /// A password was tried for an account that does not exist.
  case unknownAccount = "unknown_account"
  /// The API's own name and password were not right.
  case wrongAPIPassword = "wrong_api_password"
  /// A password was not looked at, after too many failures.
  case refusedGuess = "refused_guess"
  case newAccount = "new_account"
  /// A sign-up was not looked at, after too many.
  case refusedSignup = "refused_signup"
  /// The user replaced the password, which ended all tokens.
  case passwordChanged = "password_changed"
  /// The user signed out, which ended a token or a session.
  case signedOut = "signed_out"
  /// A token that was refreshed long ago was used again, which ended all tokens of the same sign-in.
  case tokenReused = "token_reused"
  /// A request to the control interface lacked the right, or came from another site's page.
  case controlRefused = "control_refused"
  /// A link to the owner's page was wrong, used or expired.
  case ownersLinkRefused = "owners_link_refused"
  /// The owner has changed something by a command.
  case ownersCommand = "owners_command"

  var message: String {
    switch self {
    case .wrongPassword: "wrong password"
    case .unknownAccount: "password for an account that does not exist"
    case .wrongAPIPassword: "wrong API name or password"
    case .refusedGuess: "refused to check a password, after too many wrong ones"
    case .newAccount: "new account"
    case .refusedSignup: "refused a sign-up, after too many from this client"
    case .passwordChanged: "password changed: all earlier tokens have ended"
    case .signedOut: "signed out"
    case .tokenReused:
      "a token was used again after it was refreshed: all tokens from the same sign-in have ended"
    case .controlRefused: "refused a request to the control interface"
    case .ownersLinkRefused: "refused a link to the owner's page: it is wrong, used or expired"
    case .ownersCommand: "owner's command"
    }
  }
}
