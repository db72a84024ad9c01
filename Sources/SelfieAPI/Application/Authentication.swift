package import HTTPMessages
import Platform

// Checks the API's passwords and the tokens of requests. NotesAuthentication.swift and MicroblogCookie.swift do so for
// the other apps.
extension Application {
  /// - Returns: which of the API's passwords the request has.
  /// - Throws: 401 unless the request has the API's name and password; 429 after too many wrong ones.
  func requireAPIPassword(_ call: Call) throws -> APIPassword {
    guard case .basic(let encoded)? = call.request.credentials else { throw APIError.deniedBasic }
    let attempt = limits.attempt(by: call)
    guard let password = passwords.keys.first(where: { $0.match(encoded) }) else {
      try attempt.fail()
      throw APIError.deniedBasic
    }
    try attempt.check()
    if let body = apiPasswordSent.withLock({ $0.take() }), !lists.submit(body) { whenAPIPasswordIsSent(body) }
    return password
  }

  package func requireAPIPassword(_ request: Request) throws -> APIPassword {
    let client = Client(of: request, trusting: settings.trustedProxies)
    return try requireAPIPassword(Call(request: request, client: client, parsing: parsing))
  }

  /// - Throws: 401 if there is no token, or if it is unknown or was ended.
  @inline(__always)
  func requireToken(_ request: Request) async throws -> Token {
    guard let digest = tokenDigest(of: request) else { throw APIError.deniedToken }
    guard let token = try await tokens.find(digest: digest, now: clock()) else {
      throw try await denial(of: digest, to: request)
    }
    request.context?.note { $0.userID = token.userID }
    return token
  }

  /// A client with Bearer learns that a refresh helps. The contract has no words for it, since Rails knew no Bearer.
  private func denial(of digest: [UInt8], to request: Request) async throws -> APIError {
    guard request.isBearer, let retired = try await tokens.refreshable(digest: digest, now: clock()),
      tokens.policy.refusal(of: retired, now: clock()) == nil
    else { return .deniedToken }
    return .retiredToken
  }

  /// The token of a request; nil unless it can be refreshed or was refreshed too long ago.
  func refreshable(_ request: Request) async throws -> Token? {
    guard let letters = tokenLetters(of: request),
      let found = try await tokens.refreshable(
        digest: Token.digest(of: letters), family: Token.family(namedIn: letters), now: clock())
    else { return nil }
    request.context?.note { $0.userID = found.userID }
    return found
  }

  func requireRefreshable(_ request: Request) async throws -> Token {
    guard let found = try await refreshable(request) else { throw APIError.notRefreshable }
    return found
  }

  /// The digest of the token of a request; nil if there is none that could be known.
  func tokenDigest(of request: Request) -> [UInt8]? { tokenLetters(of: request).map(Token.digest(of:)) }

  private func tokenLetters(of request: Request) -> [UInt8]? {
    guard case .token(let letters)? = request.credentials, letters.count <= RequestLimits.maxTokenBytes else {
      return nil
    }
    return Array(letters)
  }
}

extension APIError {
  fileprivate static let deniedBasic = APIError(
    .unauthorized, "HTTP Basic: Access denied.", reason: .invalidApiCredentials, challenge: .basic)

  static let deniedToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: .invalidToken, challenge: .token)

  /// An expired token of a user who has signed in on another device since.
  fileprivate static let retiredToken = APIError(
    .unauthorized, "HTTP Token: Access denied.", reason: .expiredToken, challenge: .token)

  static let notRefreshable = APIError(
    .unauthorized, "Authtoken cannot be refreshed. Please sign in again!", reason: .notRefreshable, challenge: .token)

  /// A token that is known, and live no more.
  static let tokenExpired = APIError(
    .unauthorized, "Authtoken has expired. Please get a new token and try again!", reason: .expiredToken)

  static let notesCredentialsWrong = APIError(
    .unauthorized, "Wrong email address or password.", reason: .wrongPassword, challenge: .basic)
}

extension Request {
  var credentials: Authorization? { head.fields[.authorization].flatMap(Authorization.parse) }

  var isBearer: Bool { head.fields[.authorization].map(Authorization.isBearer) ?? false }
}
