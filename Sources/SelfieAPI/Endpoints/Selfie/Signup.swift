import HTTPMessages
import Platform

// The request and the response of signup. `Accounts` has the rules, and makes the account.
extension Application {
  /// `POST /api/signup`: makes an account of `full_name`, `email` and the encrypted `password`.
  func signup(_ call: Call, by apiPassword: APIPassword) async throws -> Response {
    try settings.signup.requireOpen()
    let parameters = try await call.parameters()
    let flow = try limits.countSignup(by: call)
    let name = FullName(try parameters.text("full_name"))
    let email = try signupEmail(parameters)
    let text = try PasswordText(parameters["password"])

    let user = try await accounts.make(
      name, email: email, password: apiPassword.decrypt(text), flaw: apiPassword.flaw(of: text)
    ) { try await passwords.hash($0, flow: flow) }
    call.request.context?.note { $0.userID = user.id }
    securityLog.log(.newAccount, by: call, on: .user(user.id))
    return .success(user.json(with: nil), for: call.request)
  }

  /// An invalid address in place of a value that is not a text. The original found numbers and Booleans invalid, and
  /// everything else blank, too.
  private func signupEmail(_ parameters: Parameters) throws -> String {
    switch parameters["email"] {
    case .string?: try parameters.text("email")
    case .number?, .bool?: "?"
    default: ""
    }
  }
}
