import HTTPMessages

// Checks the parameters and the credentials of the Notes app's requests. Notes.swift responds to them, and
// Authentication.swift checks the tokens of the tutorial's app.
extension Application {
  /// The parameters of a request. The Notes app sends `token=token` with each: the original asked for credentials only
  /// where it was there.
  ///
  /// - Throws: 401 without it.
  func notesParameters(_ call: Call) async throws -> Parameters {
    let parameters = try await call.parameters()
    // As bytes: to compare a text with a long run of combining marks takes quadratic time.
    guard case .string(let token)? = parameters["token"], token.utf8.elementsEqual("token".utf8) else {
      throw Self.notesCredentialsMissing.detailed("no parameter token; the app sends token=token with each request")
    }
    return parameters
  }

  /// The user whose address and password a request has, by HTTP Basic.
  ///
  /// - Throws: 401 without these; 429 after too many wrong passwords.
  func requireNotesUser(_ call: Call) async throws -> User {
    guard case .basic(let encoded)? = call.request.credentials else {
      throw Self.notesCredentialsMissing
    }
    let sent = BasicCredentials(decoding: encoded)
    let user = try await notesUser(String(decoding: sent.name, as: UTF8.self), sent.password, by: call)
    guard user.disabledAt == nil else { throw Refusal.accountDisabled }
    call.request.context?.note { $0.userID = user.id }
    return user
  }

  private func notesUser(_ email: String, _ password: [UInt8], by call: Call) async throws -> User {
    let user = try await users.find(email: email)
    if let user, verifiedCredentials.contains(password, of: user, now: clock()) { return user }
    let attempt = limits.attempt(by: call, on: .account(user.map { .user($0.id) }, named: email))
    let isRight = try await passwords.isRight(password, hash: user?.passwordHash, by: attempt)
    guard let user, isRight else { throw APIError.notesCredentialsWrong }
    verifiedCredentials.insert(password, of: user, now: clock())
    return user
  }

  private static let notesCredentialsMissing = APIError(
    .unauthorized, "Sign in with your email address and password.", reason: .missingCredentials, challenge: .basic)
}
