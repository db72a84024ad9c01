import HTTPMessages

// The request and the response of reset_password. `Passwords` checks the old password, and `Accounts` the new one.
extension Application {
  /// `POST /api/reset_password`: replaces the password, ends every token of the user and issues a new one.
  func resetPassword(_ call: Call, as token: Token) async throws -> Response {
    let parameters = try await call.parameters()
    guard token.isLive(at: clock()), let user = try await users.find(id: token.userID) else {
      throw APIError(
        .unauthorized, "Authtoken is invalid or has expired. Kindly refresh the token and try again!",
        reason: .expiredToken)
    }
    let attempt = limits.attempt(by: call, on: .account(.user(user.id)))
    // A token does not tell which of the API's passwords the app has, but the user's password does.
    let apiPassword = try await passwords.check(
      try PasswordText(parameters["old_password"]), encryptedBy: passwords.keys, of: user, by: attempt)

    let newText = try PasswordText(parameters["new_password"])
    let newPassword = try Accounts.newPassword(apiPassword.decrypt(newText), flaw: newText.flaw)
    let passwordHash = try await passwords.hash(newPassword, flow: attempt.flow)
    let issued = tokenIssuer.issue(for: user.id)
    guard try await tokens.replacePassword(of: user, by: passwordHash, as: token, newToken: issued.token) else {
      throw APIError.wrongPassword
    }
    securityLog.log(.passwordChanged, by: call, on: .user(user.id))
    return .success(user.json(with: issued), for: call.request)
  }
}
