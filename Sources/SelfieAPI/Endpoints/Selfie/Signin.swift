import HTTPMessages
import Platform

extension Application {
  /// `POST /api/signin`: a token for the user of `email` and the encrypted `password`.
  func signin(_ call: Call, by apiPassword: APIPassword) async throws -> Response {
    let parameters = try await call.parameters()
    guard parameters["email"].isPresent, parameters["password"].isPresent, let sentPassword = parameters["password"]
    else { throw APIError.parametersMissing }
    let email = try parameters.key("email")
    let found: User? = if let email { try await users.find(email: email) } else { nil }
    let attempt = limits.attempt(by: call.request, on: email.map { .user(found?.id, email: $0) })
    try attempt.check()
    let passwordText = try PasswordText(sentPassword)
    guard let user = found else {
      attempt.fail()
      throw APIError(.badRequest, "No USER found by this email ID", reason: .unknownEmail)
    }
    try await check(passwordText, encryptedBy: [apiPassword], of: user, by: attempt)
    let issued = makeToken(for: user.id)
    guard try await tokens.issue(issued.token, to: user, checkedPassword: true) else { throw Self.wrongPassword }
    call.request.context?.note(userID: user.id)
    return success(userJSON(user, token: issued), for: call.request)
  }

  /// Makes a token, which is not stored yet.
  ///
  /// - Parameter family: as `IssuedToken` takes it.
  func makeToken(for userID: Int64, family: [UInt8]? = nil) -> IssuedToken {
    IssuedToken(for: userID, family: family, now: clock(), lifetime: tokenLifetime, random: random)
  }

  /// - Parameter keys: the API's passwords that the app may have.
  /// - Returns: the one that it has.
  /// - Throws: 401 unless it is the user's password; 429 after too many wrong ones.
  @discardableResult
  func check(
    _ text: PasswordText, encryptedBy keys: [APIPassword], of user: User, by attempt: LoginAttempt
  ) async throws -> APIPassword {
    try attempt.check()
    // A text that does not decrypt cannot be anybody's password, so it costs no hash and counts as no attempt.
    let decrypted = keys.compactMap { key in passwords.decrypt(text, by: key).map { (key, $0) } }
    guard !decrypted.isEmpty,
      let right = try await passwords.verify(decrypted.map(\.1), against: user.passwordHash, as: attempt)
    else { throw Self.wrongPassword }
    return decrypted[right].0
  }

  /// Whether the hash is of this password. It is nil if no account has the name that was sent: the time does not tell.
  ///
  /// - Throws: 429 after too many failures.
  func verify(
    _ password: [UInt8], hash: String?, by attempt: LoginAttempt
  ) async throws -> Bool {
    try attempt.check()
    return try await passwords.verify([password], against: hash ?? passwords.unmatchedHash, as: attempt) != nil
  }

  static let wrongPassword = APIError(.unauthorized, "Wrong Password", reason: .wrongPassword)
}
