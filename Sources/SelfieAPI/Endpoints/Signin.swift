import HTTPMessages

extension Application {
  /// `POST /api/signin`: a token for the user of `email` and the encrypted `password`.
  func signin(_ call: Call) async throws -> Response {
    try authentication.requireBasic(call.request)
    let parameters = try await parameters(of: call)
    guard parameters["email"].isPresent, parameters["password"].isPresent, let sentPassword = parameters["password"]
    else { throw APIError.parametersMissing }
    let email = try parameters.key("email")
    let passwordText = try PasswordText(sentPassword)
    guard let email, let user = try users.find(email: email) else {
      throw APIError(.badRequest, "No USER found by this email ID", reason: "unknown_email")
    }
    try await check(passwordText, of: user)
    let issued = makeToken(for: user.id)
    try await tokens.insert(issued.token)
    return success(userJSON(user, token: issued), for: call.request)
  }

  /// - Throws: 401 unless it is the user's password.
  func check(_ text: PasswordText, of user: User) async throws {
    guard let password = passwords.decrypt(text),
      try await passwords.verify(password, against: user.passwordHash)
    else { throw APIError(.unauthorized, "Wrong Password", reason: "wrong_password") }
  }
}
