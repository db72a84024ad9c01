import HTTPMessages
import Platform

// The request and the response of signin. `Passwords` checks the password, and `TokenStore` issues the token.
extension Application {
  /// `POST /api/signin`: a token for the user of `email` and the encrypted `password`.
  func signin(_ call: Call, by apiPassword: APIPassword) async throws -> Response {
    let parameters = try await call.parameters()
    let email = try parameters.key("email")
    let found = try await users.find(email: email)
    let attempt = limits.attempt(by: call, on: email.map { .account(found.map { .user($0.id) }, named: $0) })
    let passwordText = try PasswordText(parameters["password"])
    guard let user = found else {
      try attempt.fail(.unknownAccount)
      throw APIError(.badRequest, "No USER found by this email ID", reason: .unknownEmail)
        .detailed(ofEmail: parameters["email"])
    }
    do {
      try await passwords.check(passwordText, encryptedBy: [apiPassword], of: user, by: attempt)
    } catch let error as APIError where error.reason == .wrongPassword {
      throw error.detailed(apiPassword.flaw(of: passwordText))
    }
    let issued = tokenIssuer.issue(for: user.id)
    guard try await tokens.issue(issued.token, to: user, checkedPassword: true) else { throw APIError.wrongPassword }
    call.request.context?.note { $0.userID = user.id }
    return .success(user.json(with: issued), for: call.request)
  }
}
