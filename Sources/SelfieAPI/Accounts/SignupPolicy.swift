import HTTPMessages

/// The people who may make accounts. `Accounts` has the rules of those.
package enum SignupPolicy: String, Sendable, CaseIterable {
  /// Anyone, with an app.
  case open
  /// The owner only.
  case closed

  /// - Throws: 403 where only the owner makes accounts.
  func requireOpen() throws {
    guard self == .open else {
      throw APIError(
        .forbidden, "This server takes no sign-ups. Ask its owner for an account.", reason: .signupClosed)
    }
  }
}
