import Cryptography
import HTTPMessages

extension Application {
  /// The user whose address and password a request of the Notes app has, by HTTP Basic, and its parameters. The app also sends the parameter
  /// `token` with each request, whose value is `token`: the original asked for credentials only where it was there.
  ///
  /// - Throws: 401 without these; 429 after too many wrong passwords.
  func requireNotesUser(_ call: Call) async throws -> (User, Parameters) {
    guard case .basic(let encoded)? = call.request.head.fields[.authorization].flatMap(Authorization.parse) else {
      throw Self.notesCredentialsMissing
    }
    let user = try await notesUser(basic: Base64.decodeLeniently(encoded), by: call.request)
    let parameters = try await call.parameters()
    guard parameters["token"] == .string("token") else { throw Self.notesCredentialsMissing }
    return (user, parameters)
  }

  private func notesUser(basic credentials: [UInt8], by request: Request) async throws -> User {
    let colon = credentials.firstIndex(of: UInt8(ascii: ":")) ?? credentials.endIndex
    let email = String(decoding: credentials[..<colon], as: UTF8.self)
    let password = Array(credentials[colon...].dropFirst())
    let user = try users.find(email: email)
    if let user, verifiedCredentials.contains(password, of: user, now: clock()) { return user }
    let attempt = loginThrottle.attempt(by: request, on: user.map { .user($0.id) } ?? .unknown(email: email))
    try attempt.check()
    guard let user else {
      attempt.fail()
      throw Self.notesCredentialsWrong
    }
    let turn = hashTurns.check(request, of: user.id)
    guard try await passwords.verify(password, against: user.passwordHash, as: attempt, turn: turn) else {
      throw Self.notesCredentialsWrong
    }
    verifiedCredentials.insert(password, of: user, now: clock())
    return user
  }

  private static let notesCredentialsMissing = APIError(
    .unauthorized, "Sign in with your email address and password.", reason: "missing_credentials", challenge: .basic)

  static let notesCredentialsWrong = APIError(
    .unauthorized, "Wrong email address or password.", reason: "wrong_password", challenge: .basic)
}
